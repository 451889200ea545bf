/** The type of a page: data from which `serve.ts` makes routes. */
import type { AccessRule } from '../routing/auth/access-rule.ts'
import type { HttpReply } from '../server/http.ts'
import type { FormProblem } from '../html/forms/problem.ts'
import type { PageContent } from '../html/page-content.ts'
import type { NoticeName } from './html/notices.ts'
import type { Surface, Visit } from './visit.ts'

/** A redirect; `notice` names a message of `html/notices.ts` to show on that page. */
export interface Redirect {
  readonly to: string
  readonly notice?: NoticeName
}

/** A file instead of a page, which the browser shows or saves. */
export interface FileAnswer {
  readonly file: HttpReply
}

export type PageOutcome = PageContent | Redirect | FileAnswer

export type ShowPage = (visit: Visit, problem?: FormProblem) => Promise<PageOutcome> | PageOutcome

export interface PortalPage {
  /** The path below `/portal` and `/staff`, for example `/needs/{id}`. */
  readonly path: string
  readonly in: readonly Surface[]
  /** Absent: every person who is signed in. */
  readonly who?: AccessRule
  readonly show?: ShowPage
  /** Carries out the page's form. */
  readonly submit?: (visit: Visit) => Promise<PageOutcome>
  /** Shown when `submit` was refused; the default is `show`. */
  readonly again?: ShowPage
}

/** An entry of the navigation. */
export interface NavItem {
  readonly label: string
  readonly path: string
  readonly in: readonly Surface[]
  readonly who?: AccessRule
  /** The number of items that wait for this person's action. */
  readonly count?: (visit: Visit) => number
}

export const navGroups = ['', 'Access', 'Work', 'Oversight', 'You'] as const

/** A group of pages (a folder or file), and its navigation entries. */
export interface PortalSection {
  readonly group: (typeof navGroups)[number]
  readonly nav: readonly NavItem[]
  readonly pages: readonly PortalPage[]
}

export const bothSurfaces: readonly Surface[] = ['portal', 'staff']
