/** Finds the lines that contain a text, and shows them below their headings. Pure. */
import { parentsOf } from './budget.ts'
import { cleanText } from '../../../runtime/lib/text/clean.ts'
import { snapshotFlags } from '../../in-page/snapshot/lines.ts'
import { indentedText, wholeText, type SnapshotLine } from './lines.ts'
import { tokensAtMost } from '../../../runtime/lib/text/tokens.ts'

/** The characters shown on either side of a match in a long text. */
const aroundChars = 100

interface Found {
  readonly text: string
  /** The number of matches that did not fit. */
  readonly more: number
}

export function findInLines(
  lines: readonly SnapshotLine[],
  wanted: string,
  maxTokens: number,
): Found {
  const needle = cleanText(wanted).toLowerCase()
  const parents = parentsOf(lines)
  const said = new Set<number>()
  const out: string[] = []
  let left = maxTokens
  let more = 0
  let heading = -1
  for (const [at, line] of lines.entries()) {
    if (line.flags & snapshotFlags.heading) heading = at
    if (!has(line, needle)) continue
    const above = [...contextOf(at, heading, parents)].filter((one) => !said.has(one))
    const texts = [...above.map((one) => indentedText(lines[one]!)), lineAroundMatch(line, needle)]
    const cost = texts.reduce((sum, text) => sum + tokensAtMost(text) + 1, 0)
    if (cost > left) {
      more++
      continue
    }
    left -= cost
    for (const one of [...above, at]) said.add(one)
    out.push(...texts)
  }
  return { text: out.join('\n'), more }
}

const has = ({ parts }: SnapshotLine, needle: string) =>
  wholeText(parts).toLowerCase().includes(needle)

/** The line's heading and parents, in page order. */
function contextOf(at: number, heading: number, parents: readonly number[]): Set<number> {
  const above: number[] = heading === -1 || heading === at ? [] : [heading]
  for (let up = parents[at]!; up !== -1; up = parents[up]!) above.push(up)
  return new Set(above.sort((a, b) => a - b))
}

/** The line or, if the match is in the part that is cut off, the text around the match. */
function lineAroundMatch(line: SnapshotLine, needle: string): string {
  if (line.text.toLowerCase().includes(needle)) return indentedText(line)
  const whole = wholeText(line.parts)
  const at = whole.toLowerCase().indexOf(needle)
  const around = whole.slice(Math.max(0, at - aroundChars), at + needle.length + aroundChars)
  return `${' '.repeat(line.depth)}…${around.replace(/\p{Surrogate}/gu, '')}…`
}
