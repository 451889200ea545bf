/**
 * Selects the lines of a page that fit a token budget: first dialogs, then lines in view, then
 * headings and elements that can be acted on, then the rest; each with its parent lines. Pure.
 */
import { snapshotFlags } from '../../in-page/snapshot/lines.ts'
import { indentedText, type SnapshotLine } from './lines.ts'
import { isEnglish, tokensAtMost } from '../../../runtime/lib/text/tokens.ts'

export interface FittedLines {
  readonly lines: readonly SnapshotLine[]
  /** The number of lines left out above the view, and of all others left out. */
  readonly above: number
  readonly below: number
}

const rankOf = ({ flags: of, acts }: SnapshotLine): number => {
  if (of & snapshotFlags.dialog) return 0
  if (of & snapshotFlags.inView) return 1
  const tellsWhere = acts || of & snapshotFlags.heading
  return (tellsWhere ? 2 : 4) + (of & snapshotFlags.above ? 1 : 0)
}

export function fitLines(lines: readonly SnapshotLine[], maxTokens: number): FittedLines {
  const texts = lines.map(indentedText)
  const english = isEnglish(texts.join('\n'))
  const costs = texts.map((text) => tokensAtMost(text, english) + 1)
  if (costs.reduce((sum, cost) => sum + cost, 0) <= maxTokens) return { lines, above: 0, below: 0 }
  const parents = parentsOf(lines)
  const kept = new Set<number>()
  let left = maxTokens
  const order = lines.map((line, at) => ({ at, rank: rankOf(line) }))
  for (const { at } of order.sort((a, b) => a.rank - b.rank || a.at - b.at)) {
    const wanted: number[] = []
    for (let up = at; up !== -1 && !kept.has(up); up = parents[up]!) wanted.push(up)
    const cost = wanted.reduce((sum, one) => sum + costs[one]!, 0)
    if (cost > left) continue
    for (const one of wanted) kept.add(one)
    left -= cost
  }
  const out = lines.filter((_, at) => !kept.has(at))
  const above = out.filter(({ flags: of }) => of & snapshotFlags.above).length
  return { lines: lines.filter((_, at) => kept.has(at)), above, below: out.length - above }
}

/** The index of each line's parent; -1 if it has none. */
export function parentsOf(lines: readonly SnapshotLine[]): number[] {
  const open: number[] = []
  return lines.map(({ depth }, at) => {
    while (open.length > 0 && lines[open.at(-1)!]!.depth >= depth) open.pop()
    const parent = open.at(-1) ?? -1
    open.push(at)
    return parent
  })
}

/** The final line that says how much was left out. */
export function omittedLinesNote(above: number, below: number, atLeast = false): string {
  if (above + below === 0) return ''
  const parts = [above > 0 && `${above} more above`, below > 0 && `${below} more below`]
  return `… ${atLeast ? 'at least ' : ''}${parts.filter(Boolean).join(', ')}; use find or scroll`
}
