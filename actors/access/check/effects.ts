/** The effect of a checker: checks the target of its record and writes the findings. */
import { defined } from '../../../proto/defined.ts'
import { isChecked } from '../../../proto/access/jobs/check.ts'
import { systemAuthor } from '../../../proto/access/author.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type { RecordStore } from '../../../runtime/access/records/record-store.ts'
import type { EffectContext, EffectHandlers, OutcomeOf } from '../../../runtime/actor/actor-kind.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import { changeRecord } from '../common/change-record.ts'
import { foldDomain } from './fold-domain.ts'
import { foldMonitor } from './fold-monitor.ts'
import type { CheckContext, checkMachine, CheckEffects } from './machine.ts'
import { probeDomain, probeMonitor, type ProbeDeps } from './probes/probe.ts'
import { Semaphore } from './semaphore.ts'

export interface CheckEffectDeps {
  readonly records: RecordStore
  /** Private hosts that checks may access (`JOB_PRIVATE_HOSTS`). */
  readonly privateHosts: readonly string[]
  readonly clock: Clock
}

type Outcome = OutcomeOf<typeof checkMachine>

export function checkEffects(
  deps: CheckEffectDeps,
): EffectHandlers<CheckEffects, CheckContext, Outcome> {
  const slots = new Semaphore(limits.checksAtOnce)
  return { check: (_, effect) => slots.use(() => check(deps, effect)) }
}

async function check(
  { records, privateHosts, clock }: CheckEffectDeps,
  { state, signal: unwanted }: EffectContext<CheckContext>,
): Promise<Outcome> {
  unwanted.throwIfAborted()
  const { tenant: client, area, recordId: id } = state
  const held = await records.get(client, area, id)
  if (!held || held.record.deletedAtMs !== undefined) return { type: 'gone' }
  const { fields } = held.record
  const isPaused = fields['status'] === 'paused' || fields['status'] === 'released'
  if (isPaused || !isChecked(area, fields)) return { type: 'checked', isWritten: false }
  const signal = AbortSignal.any([unwanted, AbortSignal.timeout(limits.checkMs)])
  const deps: ProbeDeps = { privateHosts, clock, signal }
  const { fold, latencyMs } = await findings(deps, state, fields)
  unwanted.throwIfAborted()
  const isDue = state.unwritten + 1 >= limits.checksPerWrite
  let isWritten = isDue
  const change = (before: Fields) => {
    const { after, isSignificant } = fold(before)
    isWritten = isSignificant || isDue
    return isWritten ? after : before
  }
  await changeRecord(
    records,
    { client, area, id },
    change,
    { by: systemAuthor('checks') },
    clock.now(),
  )
  return { type: 'checked', isWritten, ...defined({ latencyMs }) }
}

type Fields = Readonly<Record<string, unknown>>

async function findings(deps: ProbeDeps, { area, latencies }: CheckContext, fields: Fields) {
  if (area === 'domains') {
    const found = await probeDomain(fields, deps)
    const atMs = deps.clock.now()
    return { fold: (before: Fields) => foldDomain(before, found, atMs), latencyMs: undefined }
  }
  const found = await probeMonitor(fields, deps)
  const at = { atMs: deps.clock.now(), latencies }
  return { fold: (before: Fields) => foldMonitor(before, found, at), latencyMs: found.latencyMs }
}
