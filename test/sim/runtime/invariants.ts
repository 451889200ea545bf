/** What must hold for a world in the end, once it was healed and has no work left. */
import { decode } from '../../../proto/codec.ts'
import { buckets, viewKey } from '../../../proto/subjects.ts'
import type { LogEntry } from '../../../runtime/actor/log.ts'
import type { ViewRecord } from '../../../runtime/actor/views.ts'
import {
  checkAtRest,
  checkCounter,
  checkHistory,
  contextOf,
  effectsAsked,
  readHistory,
} from '../../helpers/runtime/log-checker.ts'
import { worldBeginsAtMs } from '../world/clock.ts'
import type { World } from '../world/world.ts'

/** A machine's wall clock may be this far behind; its deadlines are late by as much. */
const skewMs = 2_000

export async function finalFindings(world: World, actors: readonly string[]): Promise<void> {
  const nowMs = worldBeginsAtMs + world.timeline.nowMs - skewMs
  for (const id of actors) {
    const entries = await readHistory(world.memory.log, 'counter', id)
    const findings = [
      ...checkHistory(entries),
      ...checkCounter(entries, world.caller.acknowledged(id)),
      ...checkAtRest(entries, nowMs),
      ...checkEffects(world, entries),
      ...(await checkView(world, entries)),
    ]
    for (const finding of findings) world.finding(finding)
  }
  for (const finding of world.caller.contradictions()) world.finding(finding)
}

/**
 * `once` effects ran at most once, `safe` ones took place unless the actor was told that they
 * failed.
 */
function checkEffects({ effects }: World, entries: readonly LogEntry[]): string[] {
  const last = entries.at(-1)
  if (last === undefined) return []
  const { ended } = contextOf(last)
  return effectsAsked(entries).flatMap(({ effectId, retry }) => {
    const begun = effects.timesBegun(effectId)
    const outcome = ended[effectId]?.[0]
    const happened = effects.happened(effectId)
    if (retry === 'once' && begun > 1) return [`once effect ${effectId} was begun ${begun} times`]
    if (outcome === 'done' && !happened) return [`effect ${effectId} is called done and is not`]
    if (retry === 'safe' && outcome === 'unknown') return [`safe effect ${effectId} is unknown`]
    if (retry === 'safe' && !happened && outcome !== 'failed') {
      return [`safe effect ${effectId} never took place`]
    }
    return []
  })
}

/** The public view shows the last entry. */
async function checkView({ memory }: World, entries: readonly LogEntry[]): Promise<string[]> {
  const last = entries.at(-1)
  if (last === undefined) return []
  const { id, tenant, taken } = contextOf(last)
  const stored = await memory.bucket(buckets.views).get(viewKey('counter', tenant, id))
  if (stored === undefined) return [`${id} has no view`]
  const { n, view } = decode<ViewRecord & { view: { count: number } }>(stored.value)
  const isCurrent = n === last.n && view.count === taken.length
  return isCurrent ? [] : [`the view of ${id} shows entry ${n} of ${last.n}`]
}
