/**
 * The differences between two snapshots: new lines (+), elements with another name, value or state
 * (~), and removed ones (-). Elements are matched by ref, texts by content. Pure.
 */
import type { LineElement, LinePart } from '../../in-page/snapshot/lines.ts'
import { indentedText, partText, lineElementText, stateText, type SnapshotLine } from './lines.ts'
import { tokensAtMost } from '../../../runtime/lib/text/tokens.ts'

/** A page at one time: the state of each ref, and how often each other text occurred. */
export interface PageState {
  readonly things: ReadonlyMap<number, string>
  readonly texts: ReadonlyMap<string, number>
}

export function pageStateOf(lines: readonly SnapshotLine[]): PageState {
  const things = new Map<number, string>()
  const texts = new Map<string, number>()
  for (const { parts } of lines) {
    for (const part of parts) {
      const ref = refOf(part)
      if (ref !== undefined) things.set(ref, stateText(part as LineElement))
      else if (part !== '|') texts.set(partText(part), (texts.get(partText(part)) ?? 0) + 1)
    }
  }
  return { things, texts }
}

const refOf = (part: LinePart) => (typeof part === 'string' ? undefined : part.number)

/** All changes; removals are last. */
export function diffLines(before: PageState, lines: readonly SnapshotLine[]): string[] {
  const texts = new Map(before.texts)
  const changes = lines.flatMap((line) => changesOfLine(line, before, texts))
  const now = pageStateOf(lines)
  for (const [ref, text] of before.things)
    if (!now.things.has(ref)) changes.push(`- ${text.split('\n')[0]}`)
  for (const [text, times] of texts)
    if (times > 0 && !text.startsWith('#')) changes.push(`- ${text}`)
  return changes
}

function changesOfLine(
  line: SnapshotLine,
  before: PageState,
  texts: Map<string, number>,
): string[] {
  const marks = line.parts.map((part) => markOf(part, before, texts))
  const real = marks.filter((mark) => mark !== ' ')
  if (real.length > 0 && real.every((mark) => mark === '+')) return [`+ ${indentedText(line)}`]
  return line.parts.flatMap((part, at) => {
    const mark = marks[at]!
    if (mark !== '+' && mark !== '~') return []
    return [`${mark} ${typeof part === 'string' ? partText(part) : lineElementText(part)}`]
  })
}

/** ' ' for parts that are no change by themselves, such as separators of a row or heading marks. */
function markOf(
  part: LinePart,
  before: PageState,
  texts: Map<string, number>,
): '+' | '~' | '=' | ' ' {
  const ref = refOf(part)
  if (ref === undefined) {
    const text = partText(part)
    const times = texts.get(text) ?? 0
    if (times > 0) texts.set(text, times - 1)
    if (text === '|' || /^#+$/.test(text)) return ' '
    return times > 0 ? '=' : '+'
  }
  const was = before.things.get(ref)
  if (was === undefined) return '+'
  return was === stateText(part as LineElement) ? '=' : '~'
}

/** As many changes as fit, and the number of the others. */
export function fitChanges(changes: readonly string[], maxTokens: number): string {
  const kept: string[] = []
  let left = maxTokens - 20
  for (const change of changes) {
    const cost = tokensAtMost(change) + 1
    if (cost > left) break
    left -= cost
    kept.push(change)
  }
  const out = changes.length - kept.length
  return [...kept, ...(out > 0 ? [`… ${out} more changes; take a snapshot`] : [])].join('\n')
}
