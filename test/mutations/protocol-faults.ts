/**
 * Mistakes that would break a promise of the actor protocol, each with the test that finds it. The
 * code is that of the compiled file, where it stands once.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../runtime/lib/package.ts'
import type { PlacedMutation } from './operators.ts'

export interface ProtocolFault {
  readonly name: string
  /** Compiled, below the folder of compiled files. */
  readonly file: string
  readonly code: string
  readonly becomes: string
  /** The title of the test file. */
  readonly foundBy: string
}

const seeds = 'test/sim/runtime/seeds'
const fencing = 'test/sim/runtime/fencing'
const lifecycle = 'test/sim/runtime/lifecycle'
const cell = 'test/unit/runtime/actor/cell'

const faultsOf =
  (file: string) =>
  (name: string, code: string, becomes: string, foundBy: string): ProtocolFault => {
    return { name, file, code, becomes, foundBy }
  }
const inLog = faultsOf('runtime/actor/log.js')
const inCell = faultsOf('runtime/actor/cell/cell.js')
const inEffects = faultsOf('runtime/actor/cell/effects.js')
const inHost = faultsOf('runtime/actor/host/host.js')
const inOwnership = faultsOf('runtime/actor/ownership/ownership.js')
const inLease = faultsOf('runtime/cluster/lease.js')
const inMembership = faultsOf('runtime/cluster/membership.js')
const inArchiver = faultsOf('runtime/actor/archive/archiver.js')

export const protocolFaults: readonly ProtocolFault[] = [
  inLog(
    'the expected sequence is whatever stands there',
    'writer.log.append(subject, data, expectedSeq)',
    'writer.log.append(subject, data, (await writer.log.last(subject))?.seq ?? 0)',
    cell,
  ),
  inLog('an append without a lease', '!(await writer.mayWrite())', 'false', cell),
  inLog(
    'an append whose answer was lost is not looked for',
    'await whatLanded(writer, subject, entry, expectedSeq)',
    'undefined',
    fencing,
  ),
  inCell(
    'a newer owner is not noticed while taking over',
    '!newer || newer.entry.epoch >= ownership.epoch',
    '!newer',
    fencing,
  ),
  inCell(
    'an answer before the entry is durable',
    'await this.#turns.ask(',
    'void this.#turns.ask(',
    cell,
  ),
  inCell(
    'an answer of an owner that has lost its lease',
    '!(await writer.mayWrite())',
    'false',
    fencing,
  ),
  inCell(
    'a repeated command makes another entry',
    'if (request && this.#state.hasDone(request.requestId))',
    'if (false)',
    fencing,
  ),
  inCell(
    'the outcome of an effect that was dropped is applied',
    '!request && isEffectOutcome(event) && !this.#state.isPending(event.effectId)',
    'false',
    cell,
  ),
  inCell(
    'a deadline that was moved rings',
    'if (atMs <= this.#options.clock.now())',
    'if (true)',
    lifecycle,
  ),
  inCell(
    'an actor with a deadline is unloaded',
    'hasDeadline || hasWork ||',
    'hasWork ||',
    lifecycle,
  ),
  inEffects(
    'what may happen once is tried again',
    "effect.retry === 'once' ? 1 :",
    'false ? 1 :',
    'test/unit/runtime/actor/effects',
  ),
  inEffects(
    'an effect begins without a lease',
    'const may = mayAct()',
    'const may = true',
    'test/unit/runtime/actor/effects',
  ),
  inEffects(
    'what has begun already begins again',
    'attempt === 1 ? speculation?.take(effectId, signal) : undefined',
    'undefined',
    cell,
  ),
  faultsOf('runtime/actor/cell/cell-effects.js')(
    'after a take-over, what may happen once begins again',
    "if (effect.retry === 'safe')",
    'if (true)',
    'test/sim/runtime/effects',
  ),
  faultsOf('runtime/actor/requests/done-requests.js')(
    'ids of open requests are forgotten',
    'deadlineMs >= latestMs &&',
    'deadlineMs < latestMs &&',
    'test/unit/runtime/actor/requests/done-requests',
  ),
  faultsOf('runtime/actor/directory.js')(
    'a caller says that it has the answer of what it may still repeat',
    'options.makesEntry && sending.messages === 1',
    'options.makesEntry',
    'test/unit/runtime/actor/directory',
  ),
  inHost(
    'a log that was not found once is taken for empty',
    'if (!this.#withoutHistory.delete(key))',
    'if (false)',
    fencing,
  ),
  inHost(
    'an actor that cannot be loaded is tried for ever',
    'orphans.filter((key) => this.#failing.mayTry(key))',
    'orphans',
    lifecycle,
  ),
  inOwnership(
    'a live owner is not asked about',
    'if (await this.#isElsewhere(owner)) {',
    'if (false) {',
    seeds,
  ),
  inOwnership(
    'the epoch of the log is not counted',
    'Math.max(owner.epoch, loggedEpoch) + 1',
    'owner.epoch + 1',
    fencing,
  ),
  inOwnership(
    'an owner record that was lost begins again',
    'const epoch = loggedEpoch + 1',
    'const epoch = 1',
    fencing,
  ),
  faultsOf('runtime/actor/host/orphans.js')(
    'what rests is taken over',
    "state === 'resting' ||",
    '',
    lifecycle,
  ),
  inLease(
    'a lease after a suspend',
    'if (this.isCertain || !this.isValid())',
    'if (true)',
    fencing,
  ),
  inLease(
    'a holder counts its lease for longer than the others',
    'atMs + this.times.leaseMs - this.times.safetyMs',
    'atMs + 2 * this.times.leaseMs',
    fencing,
  ),
  inLease('one empty read ends a process', 'if (!entry && !wasMissing)', 'if (false)', fencing),
  inMembership(
    'a process is declared dead before its lease is over',
    'leaseMs + safetyMs',
    'leaseMs / 2',
    fencing,
  ),
  inMembership(
    'a death is written whatever has happened to the record',
    'await this.#options.hosts.update(key, value, revision)',
    'await this.#options.hosts.put(key, value)',
    'test/unit/runtime/cluster/silence',
  ),
  inMembership(
    'a process that is not known is not looked for',
    'entry === undefined || decode(entry.value).state',
    'entry !== undefined && decode(entry.value).state',
    lifecycle,
  ),
  faultsOf('runtime/actor/views.js')(
    'an older view replaces a newer one',
    'if (present && decode(present.value).n > n)',
    'if (false)',
    'test/unit/runtime/actor/views',
  ),
  faultsOf('runtime/actor/removal.js')(
    'the view goes first',
    'await store.log.purge(subjects.log(kind, id));',
    'await store.bucket(buckets.views).delete(key); await store.log.purge(subjects.log(kind, id));',
    'test/unit/runtime/actor/archive/kills',
  ),
  inArchiver(
    'moved before its webhooks were sent',
    'ended.endedAtMs > beforeMs ||',
    '',
    'test/unit/runtime/actor/archive/archiver',
  ),
  inArchiver(
    'removed before gateways have read the segment',
    'atMs <= clock.monotonic()',
    'true',
    'test/unit/runtime/actor/archive/archiver',
  ),
  faultsOf('runtime/actor/archive/prune.js')(
    'removed although it could not be announced',
    'if (!(await announce(store.archive, last, { keptFrom: beforeSeq, upTo })))',
    'if (await announce(store.archive, last, { keptFrom: beforeSeq, upTo }), false)',
    'test/unit/runtime/actor/archive/archiver',
  ),
  faultsOf('node-agent/sessions/sessions.js')(
    'an agent obeys an owner of before',
    'if (epoch < session.epoch)',
    'if (false)',
    'test/unit/node-agent/sessions/sessions',
  ),
]

/** Throws if the code has changed: then the fault must follow it. */
export function placed({ file, code, becomes, name }: ProtocolFault): PlacedMutation {
  const [before, after, ...more] = readFileSync(join(packageRoot, 'dist', file), 'utf8').split(code)
  if (after === undefined || more.length > 0) throw new Error(`${name}: not once in ${file}`)
  return { file, start: before!.length, end: before!.length + code.length, text: becomes }
}
