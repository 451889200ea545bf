/** A page that is listed by its name. */
import type { WantedScope } from '../routing/auth/key-scope.ts'

/** An entry of the navigation. */
export interface ConsoleNavItem {
  readonly label: string
  readonly path: string
  /** The entry is also current on pages below this path; the default is `path`. */
  readonly below?: string
  readonly scope?: WantedScope
}
