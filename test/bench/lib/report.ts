/** Figures and how they are printed: each with its baseline of the same run, and its target. */
import type { World, WorldKind } from './world.ts'

export interface Figure {
  readonly name: string
  /** The measurement with its unit: `3.1 ms`. */
  readonly ours: string
  readonly baseline?: string
  /** Our figure divided by the baseline's. */
  readonly ratio?: number
  readonly target: string
  readonly met: boolean
}

/** A bench of the service names the kind of sessions it needs, and gets a world of that kind. */
export type Bench =
  | { readonly name: string; readonly on: WorldKind; run(world: World): Promise<Figure[]> }
  | { readonly name: string; readonly on: 'nothing'; run(): Promise<Figure[]> }

const mostTurns = 10

export function percentile(samples: readonly number[], p: number): number {
  const sorted = [...samples].sort((a, b) => a - b)
  const rank = Math.ceil((p / 100) * sorted.length) - 1
  return sorted[Math.max(0, rank)]!
}

export const median = (samples: readonly number[]): number => percentile(samples, 50)

export function ms(value: number): string {
  return `${value < 1 ? value.toFixed(3) : value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`
}

export const MiB = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`

/** How long each sequential run of `work` took, in ms; `before` is not counted. */
export async function timings(
  runs: number,
  work: (run: number) => Promise<unknown>,
  before: () => Promise<unknown> = async () => undefined,
): Promise<number[]> {
  const samples: number[] = []
  for (let run = 0; run < runs; run++) {
    await before()
    const start = performance.now()
    await work(run)
    samples.push(performance.now() - start)
  }
  return samples
}

/** The medians of both, in ms. They alternate, so that other load on the machine affects both. */
export async function byTurns(
  runs: number,
  ours: () => Promise<unknown>,
  other: () => Promise<unknown>,
  turns = mostTurns,
): Promise<readonly [number, number]> {
  const samples: { ours: number[]; other: number[] } = { ours: [], other: [] }
  for (let round = 0; round < turns; round++) {
    samples.other.push(...(await timings(runs / turns, other)))
    samples.ours.push(...(await timings(runs / turns, ours)))
  }
  return [median(samples.ours), median(samples.other)]
}

/** A markdown table in the README's form. */
export function table(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, ours, baseline = '', ratio, target, met }) => [
    name,
    ours,
    baseline,
    ratio === undefined ? '' : `${ratio.toFixed(2)}×`,
    target,
    met ? 'yes' : 'no',
  ])
  const head = ['what', 'Troupe', 'baseline, same run', 'ratio', 'target', 'met']
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]!.length)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  return [line(head), rule, ...rows.map(line)].join('\n')
}
