/** Which keys the list shows: those of a state, and those that match a search; newest first. */
import type { KeyState, ListedKey } from '../../../service/admin/api-keys.ts'
import { consoleLimits } from '../../limits.ts'

export const keyShows = ['active', 'over', 'all'] as const
export type KeyShow = (typeof keyShows)[number]

export interface KeyQuery {
  readonly show: KeyShow
  /** In lower case; a key matches if each is in one of its texts. */
  readonly words: readonly string[]
  /** From 1; beyond the last page is the last. */
  readonly page: number
}

export interface KeyPage {
  readonly rows: readonly ListedKey[]
  readonly counts: Readonly<Record<KeyShow, number>>
  readonly page: number
  readonly pages: number
}

export function keyQuery(query: URLSearchParams): KeyQuery {
  const show = keyShows.find((name) => name === query.get('show')) ?? 'active'
  const text = (query.get('search') ?? '').slice(0, consoleLimits.searchChars).toLowerCase()
  const page = Math.max(1, Math.floor(Number(query.get('page') ?? '1')) || 1)
  return { show, words: text.split(/\s+/).filter(Boolean), page }
}

const isShown = (show: KeyShow, state: KeyState): boolean =>
  show === 'all' || (show === 'active') === (state === 'active')

/** `keys` are oldest first. */
export function findKeys(keys: readonly ListedKey[], { show, words, page }: KeyQuery): KeyPage {
  const found = keys.filter((key) => words.every((word) => textOf(key).includes(word)))
  const countOf = (name: KeyShow) => found.filter(({ state }) => isShown(name, state)).length
  const counts = { active: countOf('active'), over: countOf('over'), all: found.length }
  const newest = found.filter(({ state }) => isShown(show, state)).toReversed()
  const pages = Math.max(1, Math.ceil(newest.length / consoleLimits.keyRows))
  const current = Math.min(page, pages)
  const start = (current - 1) * consoleLimits.keyRows
  const rows = newest.slice(start, start + consoleLimits.keyRows)
  return { rows, counts, page: current, pages }
}

const textOf = ({ record: { id, name, tenant }, state }: ListedKey): string =>
  `${id} ${name} ${tenant} ${state}`.toLowerCase()
