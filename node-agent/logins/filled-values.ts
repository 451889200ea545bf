/**
 * What the answers of commands must not show. Of what was filled in, a password for the rest of the
 * session, because a site may repeat it anywhere; the rest until the page has navigated, because a user
 * name is part of most pages after that. Beside it, what the session's mask hides.
 */
import type { SiteLoginValues } from '../../proto/session/site-login.ts'
import { SecretMasks } from '../../runtime/lib/secrets/secret-masks.ts'
import type { SensitiveTexts } from '../masking/sensitive-texts.ts'
import type { Tab } from '../page/tabs/tab.ts'
import { fillLimits } from './limits.ts'
import { openForNext, sealForNext, type NamedValues, type NextStore } from './kept-values.ts'

type Masks = Pick<SecretMasks, 'maskAll'>

interface Masked {
  readonly values: NamedValues
  readonly masks: Masks
}

/** What a page got, until it navigates. */
interface PageFill extends Masked {
  hasLeft: boolean
}

const masked = (values: NamedValues): Masked => ({ values, masks: new SecretMasks(values) })

export class FilledValues {
  /** Until the session ends. */
  #lasting: Masked | undefined
  readonly #pages = new Map<Tab, PageFill>()
  readonly #watched = new WeakSet<Tab>()
  #store: NextStore | undefined
  /** Set for a session with `sensitive_data_mask`. */
  sensitive: SensitiveTexts | undefined

  /** What a page of the agent before had is masked until the end: it is not known when it navigates. */
  keepIn(store: NextStore): void {
    this.#store = store
    const { sealed, secret } = store
    if (sealed !== undefined)
      this.#lasting = masked(openForNext<NamedValues>(sealed, secret, 'filled'))
  }

  /** To be awaited before the page gets them. */
  async add(
    tab: Tab,
    login: string,
    { password, username, code, fields }: SiteLoginValues,
  ): Promise<void> {
    if (password !== undefined) {
      this.#lasting = masked({ ...this.#lasting?.values, [`${login}.password`]: password })
    }
    const given = Object.entries({ ...fields, username, code }).flatMap(([part, value]) =>
      value === undefined || value.length < fillLimits.hiddenCharsLeast
        ? []
        : [[`${login}.${part}`, value] as const],
    )
    if (given.length > 0) this.#addToPage(tab, Object.fromEntries(given))
    await this.#keep()
  }

  #addToPage(tab: Tab, given: NamedValues): void {
    const before = this.#pages.get(tab)
    const values = { ...(before?.hasLeft ? {} : before?.values), ...given }
    this.#pages.set(tab, { ...masked(values), hasLeft: false })
    if (this.#watched.has(tab)) return
    this.#watched.add(tab)
    tab.on('Page.frameNavigated', ({ frame }) => {
      const fill = this.#pages.get(tab)
      if (fill && frame.parentId === undefined) fill.hasLeft = true
    })
  }

  async #keep(): Promise<void> {
    if (!this.#store) return
    const all = [this.#lasting, ...this.#pages.values()].map((one) => one?.values)
    await this.#store.write(
      sealForNext(Object.assign({}, ...all) as NamedValues, this.#store.secret, 'filled'),
    )
  }

  /** Those of the session and of all pages; to be taken before a command, for its answer. */
  begin(): readonly Masks[] {
    const lasting = this.#lasting ? [this.#lasting] : []
    const filled = [...lasting, ...this.#pages.values()].map(({ masks }) => masks)
    return this.sensitive ? [...filled, this.sensitive] : filled
  }

  /** For what is no answer of a command. */
  hide<T>(value: T, begun: readonly Masks[] = []): T {
    const all = new Set([...begun, ...this.begin()])
    return [...all].reduce((hidden, masks) => masks.maskAll(hidden), value)
  }

  /**
   * An answer may compare the page with the one before, so that what a page had is masked once more after
   * it has navigated.
   */
  mask<T>(value: T, begun: readonly Masks[]): T {
    const answer = this.hide(value, begun)
    for (const [tab, { hasLeft }] of this.#pages) {
      if (hasLeft || tab.ended) this.#pages.delete(tab)
    }
    return answer
  }
}
