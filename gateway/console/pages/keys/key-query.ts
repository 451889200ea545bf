/** Selects the keys that the list shows: by state and by search words; newest first. */
import type { KeyState, ListedKey } from '../../../service/admin/api-keys.ts'
import { consoleLimits } from '../../limits.ts'
import {
  consoleListQuery,
  hasWords,
  rowsOfPage,
  type ConsoleListPage,
  type ConsoleListQuery,
} from '../../lists/list-query.ts'

const keyShows = ['active', 'over', 'all'] as const
export type KeyShow = (typeof keyShows)[number]
export type KeyQuery = ConsoleListQuery<KeyShow>
export type KeyPage = ConsoleListPage<ListedKey, KeyShow>

export const keyQuery = (query: URLSearchParams): KeyQuery => consoleListQuery(query, keyShows)

const isShown = (show: KeyShow, state: KeyState): boolean =>
  show === 'all' || (show === 'active') === (state === 'active')

/** `keys` must be sorted oldest first. */
export function findKeys(keys: readonly ListedKey[], { show, words, page }: KeyQuery): KeyPage {
  const found = keys.filter((key) => hasWords(textsOf(key), words))
  const countOf = (name: KeyShow) => found.filter(({ state }) => isShown(name, state)).length
  const counts = { active: countOf('active'), over: countOf('over'), all: found.length }
  const newest = found.filter(({ state }) => isShown(show, state)).toReversed()
  return { ...rowsOfPage(newest, page, consoleLimits.keyRows), counts, total: keys.length }
}

const textsOf = ({ record: { id, name, tenant }, state }: ListedKey) => [id, name, tenant, state]
