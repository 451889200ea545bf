/** Parses from the URL which rows a list shows, and selects one page of them. */
import type { ActorView } from '../../../proto/actor.ts'
import { limits } from '../../../proto/limits.ts'
import type { KeptViews } from '../../../runtime/actor/kept-views.ts'
import { consoleLimits } from '../limits.ts'

export interface ConsoleListQuery<S extends string> {
  /** Which part of the list, for example `live`. */
  readonly show: S
  /** Words, each of which must occur somewhere in a row. */
  readonly words: readonly string[]
  /** Counted from 1. */
  readonly page: number
}

export interface ConsoleListPage<V, S extends string = string> {
  readonly rows: readonly V[]
  /** The number of rows that match the words, by part. */
  readonly counts: Readonly<Record<S, number>>
  readonly page: number
  readonly pages: number
  /** The number of all rows that this key may see. */
  readonly total: number
  /** How many older ones are neither searched nor listed; the page says so. */
  readonly older?: number
}

/** The first of `shows` unless the query names another. */
export function consoleListQuery<S extends string>(
  query: URLSearchParams,
  shows: readonly [S, ...S[]],
): ConsoleListQuery<S> {
  const show = shows.find((name) => name === query.get('show')) ?? shows[0]
  const text = (query.get('search') ?? '').slice(0, consoleLimits.searchChars)
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const page = /^\d{1,6}$/.test(query.get('page') ?? '') ? Number(query.get('page')) : 1
  return { show, words, page: Math.max(1, page) }
}

/** The views among which a list searches, newest first. */
export interface VisibleViews<V> {
  readonly views: readonly V[]
  /** The number of all that this key may see; there may be older ones than those above. */
  readonly total: number
  /** The tenants that have any. */
  readonly tenants: readonly string[]
}

/** All that run or ended lately, and the newest of the archive. Without a tenant, of all. */
export function visibleViews<V extends Dated & ActorView>(
  kept: KeptViews<V>,
  tenant: string | undefined,
): VisibleViews<V> {
  const held = tenant === undefined ? [...kept.all()] : kept.list(tenant)
  const isHeld = new Set(held.map(({ id }) => id))
  const archived = kept.newestArchived(tenant, limits.listRowsSearched)
  const views = newestFirst([...held, ...archived.filter(({ id }) => !isHeld.has(id))])
  const tenants = tenant === undefined ? kept.tenants() : [tenant]
  return { views, total: kept.count(tenant), tenants }
}

/** Keeps the order of `all`; a page number beyond the end selects the last page. */
export function rowsOfPage<V>(all: readonly V[], page: number, size: number) {
  const pages = Math.max(1, Math.ceil(all.length / size))
  const current = Math.min(page, pages)
  return { rows: all.slice((current - 1) * size, current * size), page: current, pages }
}

/** Whether each word occurs somewhere in the texts. */
export function hasWords(texts: readonly string[], words: readonly string[]): boolean {
  if (words.length === 0) return true
  const all = texts.join('\n').toLowerCase()
  return words.every((word) => all.includes(word))
}

interface Dated {
  readonly id: string
  readonly createdAtMs: number
}

const newestFirst = <V extends Dated>(views: readonly V[]): readonly V[] =>
  views.toSorted((a, b) => b.createdAtMs - a.createdAtMs || (a.id < b.id ? 1 : -1))
