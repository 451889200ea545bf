/**
 * The actors of Surface A on hosts that die and freeze right after they have written, and a caller
 * that asks until it is answered. A strike happens at the n-th entry that lands, so that every step
 * of what takes several records is struck.
 */
import { accessActorKinds } from '../../../actors/registry.ts'
import { ServiceError, type ErrorType } from '../../../proto/errors.ts'
import { buckets } from '../../../proto/subjects.ts'
import { RecordStore } from '../../../runtime/access/records/record-store.ts'
import { sleep } from '../../../runtime/lib/clock.ts'
import { Directory } from '../../../runtime/actor/directory.ts'
import { readLastEntry } from '../../../runtime/actor/log.ts'
import { Membership } from '../../../runtime/cluster/membership.ts'
import { SimBus } from '../world/bus.ts'
import { SimProcess } from '../world/clock.ts'
import { times } from '../world/host.ts'
import { SimStore } from '../world/store.ts'
import { World } from '../world/world.ts'

/** The errors that a caller may get while the world has faults. */
const excuses: ReadonlySet<ErrorType> = new Set(['timeout', 'busy', 'unavailable', 'draining'])
const attempts = 20
const askAgainMs = 300
export const askMs = 10_000

export class StruckWorld {
  readonly world: World
  readonly directory: Directory
  readonly clock: SimProcess['clock']
  /** `<kind> <state>` of the entries after which a host was struck. */
  readonly struckAfter = new Set<string>()
  /** Numbers of entries, counted from when `onEntry` is set. */
  strikesAt: readonly number[] = []
  /** The longest time after the entry: by then the requests of its effects are on the wire. */
  strikeWithinMs = 4
  onEntry: ((n: number) => void) | undefined
  /** Checks the world at every entry that lands. */
  checkEach: (() => Promise<void>) | undefined
  #entries = 0

  private constructor(world: World, directory: Directory, clock: SimProcess['clock']) {
    this.world = world
    this.directory = directory
    this.clock = clock
  }

  static async begin(seed: number, tell?: (line: string) => void): Promise<StruckWorld> {
    const landed: { on?: (by: SimProcess, subject: string) => void } = {}
    const world = await World.begin(seed, {
      skewsMs: [0, 0, 0],
      kinds: ({ store, ...deps }) =>
        accessActorKinds({
          ...deps,
          records: new RecordStore(store.bucket(buckets.records)),
          views: store.bucket(buckets.views),
        }),
      onAppend: (by, subject) => landed.on?.(by, subject),
      ...(tell && { tell }),
    })
    const process = new SimProcess(world.timeline, 'caller')
    const { clock } = process
    const link = world.link(process)
    const hosts = new SimStore(world.server, link, times.tryMs).bucket(buckets.hosts)
    const opening = Membership.open({ hosts, clock, log: world.logger(process) })
    const membership = await world.timeline.until(opening, askMs)
    const struck = new StruckWorld(
      world,
      new Directory(new SimBus(world.table, link), clock, membership),
      clock,
    )
    landed.on = (by, subject) => struck.#landed(by, subject)
    return struck
  }

  #landed(by: SimProcess, subject: string): void {
    if (this.onEntry === undefined) return
    const n = ++this.#entries
    void this.checkEach?.()
    this.onEntry(n)
    if (!this.strikesAt.includes(n)) return
    void this.#noteStrike(subject)
    this.world.timeline.after(this.world.random.between(0, this.strikeWithinMs), () =>
      this.#strike(by),
    )
  }

  async #noteStrike(subject: string): Promise<void> {
    const [kind = '', id = ''] = subject.split('.').slice(-2)
    const last = await readLastEntry(this.world.memory.log, kind, id)
    const { value } = (last?.entry.snapshot ?? {}) as { value?: string }
    this.struckAfter.add(`${kind} ${value}`)
  }

  #strike(process: SimProcess): void {
    const { world } = this
    const { random } = world
    const host = world.hosts.find(({ life }) => life?.process === process)
    if (!host) return
    if (random.chance(0.25)) {
      host.freeze()
      const forMs = random.pick([500, 5_400, 9_000])
      world.timeline.after(forMs, () => host.thaw(random.chance(0.3)))
      return
    }
    const machine = random.chance(0.2)
    const certified = !machine && random.chance(0.7)
    host.kill({ certified, machine, restartAfterMs: random.pick([50, 500, 4_000]) })
  }

  /** Asks until there is an answer, which may be a refusal. */
  async insist<T>(what: string, ask: () => Promise<T>): Promise<T | ServiceError> {
    let failure: ServiceError | undefined
    for (let attempt = 1; attempt <= attempts; attempt++) {
      try {
        const answer = await ask()
        this.world.trace(`caller: ${what} is done`)
        return answer
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error
        this.world.trace(`caller: ${what} is refused: ${error.type}, ${error.message}`)
        if (!excuses.has(error.type)) return error
        failure = error
      }
      await sleep(this.clock, askAgainMs)
    }
    return failure!
  }
}
