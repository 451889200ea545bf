/** Detects environment variables whose name looks like a misspelt setting. */
import { editsBetween, nearestName } from '../lib/text/nearest-name.ts'
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
  const comparable = names.filter((one) => one.length >= charsLeast)
  return nearestName(name, comparable, editsMost(name))
}

/** The same letters with two neighbours in the wrong order: `PROT`. */
const isSwapped = (a: string, b: string) =>
  a.length === b.length &&
  editsBetween(a, b) === 1 &&
  [...a].toSorted().join('') === [...b].toSorted().join('')
