/**
 * What must hold for an actor's log whatever happened while it was written. Reads through the
 * store's interface, so that the simulation and the tests on real servers share it. Each finding is
 * a sentence; a correct log has none.
 */
import { decode } from '../../../proto/codec.ts'
import { subjects } from '../../../proto/subjects.ts'
import type { LogEntry, PendingEffect } from '../../../runtime/actor/log.ts'
import type { LogStore } from '../../../runtime/store/store.ts'
import type { CounterContext } from './counter-kind.ts'

export async function readHistory(log: LogStore, kind: string, id: string): Promise<LogEntry[]> {
  const entries: LogEntry[] = []
  for await (const { data } of log.read(subjects.log(kind, id))) entries.push(decode(data))
  return entries
}

/**
 * For any actor: numbers without gaps, epochs that never go back, one writer per epoch, each epoch
 * opened by its fence.
 */
export function checkHistory(entries: readonly LogEntry[]): string[] {
  const findings: string[] = []
  const writers = new Map<number, string>()
  // A real stream keeps only the last few entries of a subject: those must have no gap.
  let previous: LogEntry | undefined
  for (const entry of entries) {
    const { id, n, epoch, writer, event } = entry
    const here = `${id} entry ${n}`
    if (previous && n !== previous.n + 1) findings.push(`${here} follows entry ${previous.n}`)
    if (previous && epoch < previous.epoch) {
      findings.push(`${here} has epoch ${epoch} after epoch ${previous.epoch}`)
    }
    const known = writers.get(epoch)
    if (known !== undefined && known !== writer) {
      findings.push(`${here} of epoch ${epoch} was written by ${writer}, others by ${known}`)
    }
    const opensEpoch = previous !== undefined && epoch !== previous.epoch
    if (opensEpoch && event.type !== 'recovered') {
      findings.push(`${here} opens epoch ${epoch} with ${event.type}`)
    }
    if (n === 1 && event.type !== 'created') findings.push(`${here} is ${event.type}`)
    writers.set(epoch, writer)
    previous = entry
  }
  return findings
}

/** A command that was answered, from its caller's view. */
export interface Acknowledged {
  /** The command's id. */
  readonly id: string
  readonly index: number
}

export function contextOf(entry: LogEntry): CounterContext {
  return (entry.snapshot as { context: CounterContext }).context
}

/**
 * For a counter: no command taken twice, each answered one at the number of its answer, no alarm
 * before its time.
 */
export function checkCounter(
  entries: readonly LogEntry[],
  acknowledged: readonly Acknowledged[],
): string[] {
  const last = entries.at(-1)
  if (last === undefined) {
    return acknowledged.map(({ id }) => `command ${id} was answered, and there is no log`)
  }
  const findings: string[] = []
  const { taken } = contextOf(last)
  if (new Set(taken).size !== taken.length) {
    const twice = taken.filter((id, i) => taken.indexOf(id) !== i)
    findings.push(`${last.id} took ${twice.join(', ')} twice`)
  }
  for (const { id, index } of acknowledged) {
    if (taken[index] !== id) findings.push(`${last.id} answered ${id} as ${index}, not in its log`)
  }
  return [...findings, ...checkAlarms(entries)]
}

/** An alarm rings once, at or after its time, and only while it is set. */
function checkAlarms(entries: readonly LogEntry[]): string[] {
  return entries.flatMap((entry, i) => {
    const before = entries[i - 1]
    if (before === undefined || entry.event.type !== 'deadline.alarm') return []
    const dueMs = contextOf(before).deadlines['alarm']
    if (dueMs === undefined) return [`${entry.id} entry ${entry.n}: an alarm that was not armed`]
    const earlyMs = dueMs - entry.at
    return earlyMs > 0 ? [`${entry.id} entry ${entry.n}: an alarm ${earlyMs} ms early`] : []
  })
}

/** All effects that the actor committed to, in order. */
export function effectsAsked(entries: readonly LogEntry[]): PendingEffect[] {
  return entries.flatMap(({ id, n, pending }) =>
    pending.filter(({ effectId }) => effectId.startsWith(`${id}:${n}:`)),
  )
}

/**
 * For an idle actor: every effect has ended exactly once, and every passed deadline was delivered.
 */
export function checkAtRest(entries: readonly LogEntry[], nowMs: number): string[] {
  const last = entries.at(-1)
  if (last === undefined) return []
  const { ended, deadlines } = contextOf(last)
  const findings: string[] = []
  for (const { effectId, kind, retry } of effectsAsked(entries)) {
    const outcomes = ended[effectId] ?? []
    if (outcomes.length === 1) continue
    const what = outcomes.length === 0 ? 'never ended' : `ended as ${outcomes.join(' and ')}`
    findings.push(`${retry} effect ${kind} ${effectId} ${what}`)
  }
  for (const [name, atMs] of Object.entries(deadlines)) {
    if (atMs < nowMs) findings.push(`${last.id}: deadline ${name} passed ${nowMs - atMs} ms ago`)
  }
  return findings
}
