/**
 * What was filled in, as long as the answers of commands must not show it: a password for the rest of the
 * session, because a site may repeat it anywhere; the rest until the page has navigated, because a user
 * name is part of most pages after that.
 */
import type { SiteLoginValues } from '../../proto/session/site-login.ts'
import { SecretMasks } from '../../runtime/lib/secrets/secret-masks.ts'
import type { Tab } from '../page/tabs/tab.ts'

type Texts = Readonly<Record<string, string>>

/** What a page got, until it navigates. */
interface PageFill {
  readonly masks: SecretMasks
  readonly texts: Texts
  hasLeft: boolean
}

export class FilledValues {
  readonly #passwords = new Map<string, SecretMasks>()
  readonly #pages = new Map<Tab, PageFill>()
  readonly #watched = new WeakSet<Tab>()

  /** To be called before the page gets them. */
  add(tab: Tab, login: string, { password, username, code, fields }: SiteLoginValues): void {
    if (password !== undefined) {
      this.#passwords.set(login, new SecretMasks({ [`${login}.password`]: password }))
    }
    const given = Object.entries({ ...fields, username, code }).flatMap(([part, value]) =>
      value === undefined ? [] : [[`${login}.${part}`, value] as const],
    )
    if (given.length === 0) return
    const before = this.#pages.get(tab)
    const texts = { ...(before?.hasLeft ? {} : before?.texts), ...Object.fromEntries(given) }
    this.#pages.set(tab, { masks: new SecretMasks(texts), texts, hasLeft: false })
    if (this.#watched.has(tab)) return
    this.#watched.add(tab)
    tab.on('Page.frameNavigated', ({ frame }) => {
      const fill = this.#pages.get(tab)
      if (fill && frame.parentId === undefined) fill.hasLeft = true
    })
  }

  /** Those of the passwords and of all pages; to be taken before a command, for its answer. */
  begin(): readonly SecretMasks[] {
    return [...this.#passwords.values(), ...[...this.#pages.values()].map(({ masks }) => masks)]
  }

  /** For what is no answer of a command. */
  hide<T>(value: T, begun: readonly SecretMasks[] = []): T {
    const all = new Set([...begun, ...this.begin()])
    return [...all].reduce((hidden, masks) => masks.maskAll(hidden), value)
  }

  /**
   * An answer may compare the page with the one before, so that what a page had is masked once more after
   * it has navigated.
   */
  mask<T>(value: T, begun: readonly SecretMasks[]): T {
    const masked = this.hide(value, begun)
    for (const [tab, { hasLeft }] of this.#pages) {
      if (hasLeft || tab.ended) this.#pages.delete(tab)
    }
    return masked
  }
}
