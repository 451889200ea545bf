/** The type of a page of the console: data from which `serve/serve.ts` makes routes. */
import type { FormProblem } from '../html/forms/problem.ts'
import type { PageContent } from '../html/page-content.ts'
import type { Principal } from '../routing/auth/auth.ts'
import type { WantedScope } from '../routing/auth/key-scope.ts'
import type { HttpReply } from '../server/http.ts'
import type { ConsoleNotice } from './html/notices.ts'
import type { ConsoleNavItem } from './nav-item.ts'
import type { ConsoleVisit } from './visit.ts'

/** `notice` names a message of `html/notices.ts` to show on the page that follows. */
export interface ConsoleRedirect {
  readonly to: string
  readonly notice?: ConsoleNotice
}

/** An answer that is not a page: a picture, a file, or a stream of events. */
export interface ConsoleFile {
  readonly file: HttpReply
}

export type ConsoleOutcome = PageContent | ConsoleRedirect | ConsoleFile

export type ShowConsolePage = (
  visit: ConsoleVisit,
  problem?: FormProblem,
) => Promise<ConsoleOutcome> | ConsoleOutcome

export interface ConsolePage {
  /** The path below `/console`, for example `/sessions/{id}`; '' is the first page. */
  readonly path: string
  /** The default is `any`, that is, every valid key. */
  readonly scope?: WantedScope
  readonly show?: ShowConsolePage
  /** Carries out the page's form. */
  readonly submit?: (visit: ConsoleVisit) => Promise<ConsoleOutcome>
  /** Shown when `submit` was refused; the default is `show`. */
  readonly again?: ShowConsolePage
}

/** A group of pages (a folder or file), and its entries in the navigation. */
export interface ConsoleSection {
  readonly nav?: readonly ConsoleNavItem[]
  /** Forms that are found by their name and are not in the navigation. */
  readonly forms?: readonly ConsoleNavItem[]
  readonly pages: readonly ConsolePage[]
}

export function isInScope({ scopes }: Principal, wanted: WantedScope = 'any'): boolean {
  if (wanted === 'any') return true
  const enough = typeof wanted === 'string' ? [wanted] : wanted
  return enough.some((scope) => scopes.includes(scope))
}
