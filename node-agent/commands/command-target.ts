/** What a command is aimed at, for the log of its session: never what it types or sends. */
import type { CommandCall } from '../../proto/commands/catalogue.ts'
import { sessionLimits } from '../../proto/session/limits.ts'
import { truncateText } from '../../runtime/lib/text/clean.ts'
import { shownUrl } from '../../runtime/lib/text/shown-url.ts'

/** Fields that name what a command is about, in order of preference. */
const naming = ['target', 'selector', 'from', 'tab', 'login'] as const

/** An element, an address, a tab, the name of a login, or a point; undefined for other commands. */
export function targetOf({ input }: CommandCall): string | undefined {
  const given = (input ?? {}) as Readonly<Record<string, unknown>>
  const name = naming.map((field) => given[field]).find((value) => typeof value === 'string')
  if (name !== undefined) return truncateText(name, sessionLimits.eventTextChars)
  const { url, x, y } = given
  if (typeof url === 'string') return shownUrl(url, sessionLimits.eventUrlChars)
  return typeof x === 'number' && typeof y === 'number' ? `${x}, ${y}` : undefined
}
