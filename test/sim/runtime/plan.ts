/**
 * The events of a world, decided before it begins: plain data made from the seed, so that a run's
 * plan can be read. Each plan prefers one kind of fault; the seeds together cover all kinds and
 * their mixtures.
 */
import type { CounterCommand } from '../../helpers/runtime/counter-kind.ts'
import type { EffectFaults } from '../world/effect-ledger.ts'
import type { Random } from '../world/random.ts'
import type { Death } from '../world/host.ts'
import type { LinkFaults, Service } from '../world/link.ts'

export type Fault =
  | { readonly type: 'kill'; readonly nodeId: string; readonly death: Death }
  | {
      readonly type: 'freeze'
      readonly nodeId: string
      readonly forMs: number
      readonly newestFirst: boolean
    }
  | { readonly type: 'suspend'; readonly nodeId: string; readonly forMs: number }
  | { readonly type: 'setClock'; readonly nodeId: string; readonly skewMs: number }
  | {
      readonly type: 'cut'
      readonly nodeId: string
      readonly services: readonly Service[]
      readonly forMs: number
    }
  | { readonly type: 'drain'; readonly nodeId: string; readonly restartAfterMs: number }
  | { readonly type: 'outage'; readonly forMs: number }

export type Request =
  | { readonly type: 'create'; readonly actor: string }
  | {
      readonly type: 'ask'
      readonly actor: string
      readonly command: CounterCommand | { readonly type: 'get' }
      readonly untilSettled: boolean
    }

export type Step = { readonly atMs: number; readonly timeoutMs: number } & (Fault | Request)

export interface Plan {
  readonly skewsMs: readonly number[]
  readonly weather: LinkFaults
  readonly effects: EffectFaults
  readonly actors: readonly string[]
  readonly steps: readonly Step[]
  readonly lastsMs: number
}

type Trouble = Fault['type']

type Character =
  'mixed' | 'deaths' | 'zombies' | 'clocks' | 'partitions' | 'drains' | 'outages' | 'idle'

const shares = {
  mixed: 3,
  deaths: 3,
  zombies: 3,
  clocks: 2,
  partitions: 3,
  drains: 3,
  outages: 2,
  idle: 1,
}

const weights: Readonly<Record<Character, Readonly<Record<Trouble, number>>>> = {
  mixed: { kill: 3, freeze: 3, suspend: 2, setClock: 2, cut: 3, drain: 2, outage: 1 },
  deaths: { kill: 8, freeze: 1, suspend: 0, setClock: 0, cut: 1, drain: 1, outage: 0 },
  zombies: { kill: 1, freeze: 8, suspend: 2, setClock: 0, cut: 1, drain: 1, outage: 0 },
  clocks: { kill: 1, freeze: 1, suspend: 6, setClock: 6, cut: 1, drain: 1, outage: 0 },
  partitions: { kill: 1, freeze: 1, suspend: 0, setClock: 1, cut: 8, drain: 1, outage: 1 },
  drains: { kill: 1, freeze: 1, suspend: 0, setClock: 0, cut: 1, drain: 8, outage: 1 },
  outages: { kill: 1, freeze: 1, suspend: 0, setClock: 1, cut: 1, drain: 1, outage: 4 },
  idle: { kill: 2, freeze: 2, suspend: 2, setClock: 2, cut: 2, drain: 2, outage: 1 },
}

export function makePlan(random: Random): Plan {
  const character = random.weighted(shares)
  // Sometimes long enough for actors to be unloaded and loaded again.
  const lastsMs =
    character === 'idle' ? random.between(70_000, 100_000) : random.between(4_000, 20_000)
  const hosts = Array.from({ length: random.int(3, 4) }, (_, i) => `h${i + 1}`)
  const actors = Array.from({ length: random.int(2, 6) }, (_, i) => `c${i + 1}`)
  const faults = Array.from({ length: random.int(1, 8) }, () => fault(random, character, hosts))
  const requests = [...actors.map(creation), ...commands(random, actors, random.int(10, 60))]
  const steps: Step[] = [...faults, ...requests].map((what) => ({
    atMs: what.type === 'create' ? random.between(0, 3_000) : random.between(0, lastsMs),
    timeoutMs: random.pick([3_000, 10_000, 15_000]),
    ...what,
  }))
  if (random.chance(0.1)) steps.push(...burst(random, { actors, hosts, lastsMs }))
  const watched = steps.flatMap((step) => probes(random, step, actors))
  return {
    skewsMs: hosts.map(() => (random.chance(0.5) ? 0 : random.between(-1_000, 1_000))),
    weather: weather(random),
    effects: {
      takesMs: random.pick([
        [1, 20],
        [1, 400],
        [500, 4_000],
      ] as const),
      fails: random.pick([0, 0.1, 0.4]),
      refused: random.pick([0, 0.05]),
    },
    actors,
    steps: [...steps, ...watched].sort((a, b) => a.atMs - b.atMs),
    lastsMs,
  }
}

function weather(random: Random): LinkFaults {
  return {
    delayMs: random.pick([
      [0.1, 1],
      [0.1, 20],
      [5, 120],
    ] as const),
    slow: random.pick([0, 0, 0.01, 0.05]),
    slowMs: random.pick([300, 1_500, 9_000]),
    lost: random.pick([0, 0, 0.01, 0.04]),
  }
}

function fault(random: Random, character: Character, hosts: readonly string[]): Fault {
  const nodeId = random.pick(hosts)
  switch (random.weighted(weights[character])) {
    case 'kill': {
      const machine = random.chance(0.3)
      const certified = !machine && random.chance(0.7)
      const restartAfterMs = random.pick([50, 500, 4_000, 12_000])
      return { type: 'kill', nodeId, death: { certified, machine, restartAfterMs } }
    }
    case 'freeze': {
      const forMs = random.pick([200, 2_000, 5_400, 6_600, 9_000, 15_000])
      return { type: 'freeze', nodeId, forMs, newestFirst: random.chance(0.3) }
    }
    case 'suspend':
      return { type: 'suspend', nodeId, forMs: random.pick([200, 5_400, 6_600, 15_000]) }
    case 'setClock':
      return { type: 'setClock', nodeId, skewMs: random.between(-1_000, 1_000) }
    case 'cut': {
      const services = random.pick([['store', 'bus'], ['store'], ['bus']] as const)
      return { type: 'cut', nodeId, services, forMs: random.pick([1_000, 4_000, 8_000, 14_000]) }
    }
    case 'drain':
      return { type: 'drain', nodeId, restartAfterMs: random.pick([50, 1_000, 10_000]) }
    case 'outage':
      return { type: 'outage', forMs: random.pick([300, 2_000, 4_000, 7_000, 12_000]) }
  }
}

/**
 * A former owner is detected by asking at the moment when it may wake: its answers must not be
 * older than the new owner's.
 */
function probes(random: Random, step: Step, actors: readonly string[]): Step[] {
  if (!('forMs' in step) || step.type === 'outage') return []
  const endsMs = step.atMs + step.forMs
  return Array.from({ length: random.int(0, 12) }, () => ({
    type: 'ask',
    actor: random.pick(actors),
    command: { type: 'get' },
    untilSettled: false,
    atMs: endsMs + random.between(-1_500, 500),
    timeoutMs: 3_000,
  }))
}

/** More commands to one actor at a time than it once remembered, and its host may die of them. */
function burst(
  random: Random,
  {
    actors,
    hosts,
    lastsMs,
  }: { actors: readonly string[]; hosts: readonly string[]; lastsMs: number },
): Step[] {
  const actor = random.pick(actors)
  const beginMs = random.between(3_500, lastsMs)
  const commands = Array.from({ length: random.int(65, 200) }, (_, i): Step => {
    const command = { type: 'add', id: `b${i + 1}` } as const
    const atMs = beginMs + random.between(0, 20)
    return { type: 'ask', atMs, timeoutMs: 15_000, actor, command, untilSettled: false }
  })
  const death = { certified: true, machine: false, restartAfterMs: 500 }
  const kills = hosts.map((nodeId, i): Step => {
    return {
      type: 'kill',
      atMs: beginMs + random.between(0, 60) + i * 300,
      timeoutMs: 0,
      nodeId,
      death,
    }
  })
  return [...commands, ...kills]
}

const creation = (actor: string): Request => ({ type: 'create', actor })

function commands(random: Random, actors: readonly string[], count: number): Request[] {
  // A finished counter takes no more commands, so at most one of them is finished, in some worlds.
  const finishable = random.chance(0.2) ? random.pick(actors) : undefined
  return Array.from({ length: count }, (_, i): Request => {
    const actor = random.pick(actors)
    const id = `r${i + 1}`
    const type = random.weighted({ get: 2, add: 5, note: 2, strike: 2, arm: 2, finish: 0.3 })
    const untilSettled = random.chance(0.3)
    if (type === 'get') return { type: 'ask', actor, command: { type }, untilSettled }
    if (type === 'arm') {
      const afterMs = random.pick([50, 500, 2_000, 8_000])
      return { type: 'ask', actor, command: { type, id, afterMs }, untilSettled }
    }
    const isFinish = type === 'finish' && actor === finishable
    const command = { type: type === 'finish' && !isFinish ? 'add' : type, id }
    return { type: 'ask', actor, command, untilSettled }
  })
}
