/** Small building blocks of pages. */
import { dayWord, fromNow, timeWord } from './times.ts'
import type { Markup } from './markup.ts'

/** The tone of a state, which sets its colour; the colour is never the only information. */
export type Tone = 'good' | 'wait' | 'bad' | 'quiet'

/** A state as a word; colour and symbol are only additional. */
export const StateMark = ({ tone, children }: { tone: Tone; children?: Markup }) => (
  <span class={`status ${tone}`}>{children}</span>
)

export const TimeText = ({ ms, zone }: { ms: number; zone: string }) => (
  <time datetime={new Date(ms).toISOString()}>{timeWord(ms, zone)}</time>
)

/** A day, with its distance from today. */
export const DueDay = ({ ms, zone, now }: { ms: number; zone: string; now: number }) => (
  <>
    <time datetime={new Date(ms).toISOString()}>{dayWord(ms, zone)}</time>{' '}
    <span class="quiet">{fromNow(ms, now)}</span>
  </>
)

export interface FactItem {
  readonly term: string
  readonly is: Markup
}

/** Skips facts that have no value. */
export const FactList = ({ of }: { of: readonly (FactItem | undefined | null | false)[] }) => (
  <dl class="facts">
    {of.map((fact) =>
      fact ? (
        <div>
          <dt>{fact.term}</dt>
          <dd>{fact.is}</dd>
        </div>
      ) : (
        ''
      ),
    )}
  </dl>
)

/** Shown in place of an empty list, with what to do. */
export const EmptyState = ({ title, children }: { title: string; children?: Markup }) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {children}
  </div>
)

export const NoticeBox = ({
  tone,
  title,
  children,
}: {
  tone: 'good' | 'wait' | 'bad' | 'info'
  title?: string
  children?: Markup
}) => (
  <div class={`notice ${tone}`} role={tone === 'good' ? 'status' : undefined}>
    {title === undefined ? '' : <p class="notice-title">{title}</p>}
    {children}
  </div>
)

export const PageSection = ({
  title,
  actions,
  children,
}: {
  title: string
  actions?: Markup
  children?: Markup
}) => (
  <section aria-labelledby={idOf(title)}>
    <div class="section-head">
      <h2 id={idOf(title)}>{title}</h2>
      {actions === undefined ? '' : <div class="actions">{actions}</div>}
    </div>
    {children}
  </section>
)

const idOf = (title: string) => `s-${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`

export const ButtonLink = ({
  href,
  kind = 'plain',
  children,
}: {
  href: string
  kind?: 'main' | 'plain'
  children?: Markup
}) => (
  <a class={`button ${kind}`} href={href}>
    {children}
  </a>
)

/** An id, for people who also work with the API. */
export const IdCode = ({ children }: { children?: Markup }) => <code class="id">{children}</code>

/** Links only http and https URLs; others stay text. */
export const ExternalLink = ({ url }: { url: string }) =>
  /^https?:\/\//i.test(url) ? (
    <a href={url} rel="noreferrer noopener">
      {url}
    </a>
  ) : (
    <>{url}</>
  )

export interface PagerLinks {
  /** Undefined on the first page. */
  readonly first: string | undefined
  readonly next: string | undefined
}

export const Pager = ({ first, next }: PagerLinks) =>
  first === undefined && next === undefined ? (
    <></>
  ) : (
    <nav class="pager" aria-label="Pagination">
      {first === undefined ? '' : <a href={first}>First page</a>}
      {next === undefined ? '' : <a href={next}>Next page</a>}
    </nav>
  )

/** The URL of this page with some changes to its query. */
export function withQuery(
  path: string,
  query: URLSearchParams,
  change: Readonly<Record<string, string | undefined>>,
): string {
  const next = new URLSearchParams([...query].filter(([name, value]) => value && name !== 'told'))
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined) next.delete(name)
    else next.set(name, value)
  }
  const text = next.toString()
  return text === '' ? path : `${path}?${text}`
}
