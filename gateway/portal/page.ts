/** What a page is: data that `serve.ts` makes routes of. */
import type { ServiceError } from '../../proto/errors.ts'
import type { AccessRule } from '../access/rule.ts'
import type { HttpReply } from '../server/http.ts'
import type { Markup } from '../html/markup.ts'
import type { Told } from './html/told.ts'
import type { Surface, Visit } from './visit.ts'

export interface Shown {
  /** The page's one heading, and the beginning of its title. */
  readonly title: string
  readonly body: Markup
  /** A sentence below the heading. */
  readonly lead?: Markup
  /** Above the heading: where this page belongs. */
  readonly up?: { readonly href: string; readonly label: string }
  /** Beside the heading: what most people come for. */
  readonly actions?: Markup
  /** 200, unless it is said. */
  readonly status?: number
}

/** Go on there; `told` names a sentence of `html/told.ts` to show on that page. */
export interface Elsewhere {
  readonly to: string
  readonly told?: Told
}

/** No page, but what a browser shows or keeps by itself. */
export interface Sent {
  readonly file: HttpReply
}

export type Outcome = Shown | Elsewhere | Sent

/** Why what was asked for was not done. */
export interface Problem {
  readonly error: ServiceError
  /** Of the form's fields, by the names of REST. */
  readonly fields: readonly string[]
  /** What is wrong with each, where all of them were looked at: `must be …`, by their names. */
  readonly each?: ReadonlyMap<string, string>
}

export type Show = (visit: Visit, problem?: Problem) => Promise<Outcome> | Outcome

export interface Page {
  /** Below `/portal` and `/staff`: `/needs/{id}`. */
  readonly path: string
  readonly in: readonly Surface[]
  /** Everybody who is signed in, where it is absent. */
  readonly who?: AccessRule
  readonly show?: Show
  /** What its form does. */
  readonly submit?: (visit: Visit) => Promise<Outcome>
  /** Shown when `submit` was refused; `show` where it is absent. */
  readonly again?: Show
}

/** A line of the navigation. */
export interface NavLine {
  readonly label: string
  readonly path: string
  readonly in: readonly Surface[]
  readonly who?: AccessRule
  /** How many things wait there for this person. */
  readonly count?: (visit: Visit) => number
}

export const navGroups = ['', 'Access', 'Work', 'Oversight', 'You'] as const

/** One small folder or file of pages, and where the navigation leads to them. */
export interface Section {
  readonly group: (typeof navGroups)[number]
  readonly nav: readonly NavLine[]
  readonly pages: readonly Page[]
}

export const everywhere: readonly Surface[] = ['portal', 'staff']
