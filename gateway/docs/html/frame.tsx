/** The frame of every page of the documentation: top bar, list of pages, content. */
import { Brand, Head } from '../../html/document.tsx'
import type { Markup } from '../../html/markup.ts'
import type { NavGroup } from '../navigation.ts'
import { searchChars } from '../search/limits.ts'

interface FrameProps {
  readonly title: string
  /** The path of the current page. */
  readonly here: string
  readonly sheets: readonly string[]
  readonly scripts: readonly string[]
  /** What was searched for. */
  readonly query?: string
  readonly children?: Markup
}

const finding = '/web/docs/finding.js'

export const DocsDocument = ({ title, here, sheets, scripts, query, children }: FrameProps) => (
  <html lang="en">
    <Head title={`${title} – Troupe`} sheets={sheets} modules={[...scripts, finding]} />
    <body class="docs">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="docs-top">
        <a class="brand" href="/docs">
          <Brand /> Troupe
        </a>
        <nav aria-label="Documentation">
          <TopLink href="/docs" label="Guides" isHere={here !== '/docs/api'} />
          <TopLink href="/docs/api" label="API reference" isHere={here === '/docs/api'} />
          <a href="/">Service</a>
        </nav>
        <form class="docs-find" role="search" action="/docs/search">
          <label class="hidden" for="docs-search">
            Search the documentation
          </label>
          <input
            id="docs-search"
            name="q"
            type="search"
            placeholder="Search ( / )"
            value={query}
            autocomplete="off"
            maxlength={searchChars}
          />
        </form>
      </header>
      {children}
    </body>
  </html>
)

const TopLink = ({ href, label, isHere }: { href: string; label: string; isHere: boolean }) =>
  isHere ? (
    <a href={href} aria-current="true">
      {label}
    </a>
  ) : (
    <a href={href}>{label}</a>
  )

/** Collapsed by default, for phones; `docs.js` opens it on wider screens. */
export const PageList = ({ groups, here }: { groups: readonly NavGroup[]; here: string }) => (
  <details class="docs-list">
    <summary>All pages</summary>
    <nav aria-label="Pages">
      {groups.map(({ label, links }) => (
        <section>
          <h2>{label}</h2>
          <ul>
            {links.map(({ href, label: text }) => (
              <li>
                {href === here ? (
                  <a href={href} aria-current="page">
                    {text}
                  </a>
                ) : (
                  <a href={href}>{text}</a>
                )}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  </details>
)
