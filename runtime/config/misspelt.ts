/** Detects environment variables whose name looks like a misspelt setting. */
import { settingsTable } from './config.ts'

export interface MisspeltSetting {
  readonly name: string
  /** The setting with the nearest name. */
  readonly meant: string
}

const names = Object.keys(settingsTable)
/** Variables of other programs have this suffix too: `ZAI_API_KEY` is not a misspelt `XAI_API_KEY`. */
const foreign = /_API_KEY$/
/** Shorter names are not compared, because one edit makes another word: HOST, HOSTS, POST. */
const charsLeast = 6

/** Sorted by name. An empty variable counts as absent. */
export function misspeltSettings(
  env: Readonly<Record<string, string | undefined>>,
): readonly MisspeltSetting[] {
  return Object.keys(env)
    .filter((name) => env[name] && !names.includes(name) && !foreign.test(name))
    .toSorted()
    .flatMap((name) => {
      const meant = nearest(name)
      return meant === undefined ? [] : [{ name, meant }]
    })
}

/** One edit in names of up to nine characters, two in longer ones. */
const editsMost = (name: string) => (name.length < 10 ? 1 : 2)

function nearest(name: string): string | undefined {
  if (name.length < charsLeast) return names.find((one) => isSwapped(name, one))
  const [first] = names
    .filter((one) => one.length >= charsLeast)
    .map((one) => ({ one, edits: editsBetween(name, one) }))
    .filter(({ edits }) => edits <= editsMost(name))
    .toSorted((a, b) => a.edits - b.edits)
  return first?.one
}

/** The same letters with two neighbours in the wrong order: `PROT`. */
const isSwapped = (a: string, b: string) =>
  a.length === b.length &&
  editsBetween(a, b) === 1 &&
  [...a].toSorted().join('') === [...b].toSorted().join('')

/**
 * Insertions, deletions, substitutions and swaps of neighbours that turn one text into the other
 * (optimal string alignment distance).
 */
function editsBetween(a: string, b: string): number {
  let before: readonly number[] = []
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const next = [row]
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      next.push(
        Math.min(
          last[column]! + 1,
          next[column - 1]! + 1,
          last[column - 1]! + (isSame ? 0 : 1),
          isSwap && row > 1 && column > 1 ? before[column - 2]! + 1 : Infinity,
        ),
      )
    }
    before = last
    last = next
  }
  return last[b.length]!
}
