/** The pages of the documentation: the start page, one guide, the API reference. */
import type { RenderedPage } from '../markdown.ts'
import type { NavGroup, GuideLink } from '../navigation.ts'
import { DocsDocument, PageList } from './frame.tsx'

const own = { sheets: ['/web/docs.css'], scripts: ['/web/docs/docs.js'] } as const

export const HomePage = ({ groups }: { groups: readonly NavGroup[] }) => (
  <DocsDocument {...own} title="Documentation" here="/docs">
    <main id="main" class="docs-home" tabindex={-1}>
      <h1>Documentation</h1>
      <p class="lead">
        Cloud browsers of your own: how to start, how to drive a session, how to run the service.
        Everything here is served by your own service and works offline.
      </p>
      <p class="actions">
        <a class="button main" href="/docs/guides/first-session">
          First session
        </a>
        <a class="button" href="/docs/api">
          API reference
        </a>
        <a class="button" href="/openapi.json">
          openapi.json
        </a>
      </p>
      {groups.map(({ label, links }) => (
        <section>
          <h2>{label}</h2>
          <ul class="docs-cards">
            {links.map((link) => (
              <li>
                <Card {...link} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </main>
  </DocsDocument>
)

const Card = ({ href, label, lead }: GuideLink) => (
  <a class="card" href={href}>
    <strong>{label}</strong>
    {lead === '' ? '' : <span>{lead}</span>}
  </a>
)

interface GuideProps {
  readonly page: RenderedPage
  readonly groups: readonly NavGroup[]
  readonly here: string
}

export const GuidePage = ({ page, groups, here }: GuideProps) => (
  <DocsDocument {...own} title={page.title} here={here}>
    <div class="docs-columns">
      <PageList groups={groups} here={here} />
      <main id="main" tabindex={-1}>
        <article class="prose">
          <h1>{page.title}</h1>
          {/* The repository's own Markdown, which no caller can change. */}
          <div dangerouslySetInnerHTML={{ __html: page.html }} />
        </article>
        <PrevNext groups={groups} here={here} />
      </main>
      <Contents page={page} />
    </div>
  </DocsDocument>
)

const Contents = ({ page }: { page: RenderedPage }) => {
  const shown = page.headings.filter(({ depth }) => depth <= 2)
  if (shown.length < 2) return <div class="docs-toc"></div>
  return (
    <nav class="docs-toc" aria-label="On this page">
      <h2>On this page</h2>
      <ul>
        {shown.map(({ id, text }) => (
          <li>
            <a href={`#${id}`}>{text}</a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

const PrevNext = ({ groups, here }: { groups: readonly NavGroup[]; here: string }) => {
  const all = groups.flatMap(({ links }) => links)
  const at = all.findIndex(({ href }) => href === here)
  const [before, after] = at < 0 ? [] : [all[at - 1], all[at + 1]]
  return (
    <nav class="docs-next" aria-label="Previous and next page">
      {before ? (
        <a class="card" href={before.href}>
          <span>Previous</span> <strong>{before.label}</strong>
        </a>
      ) : (
        <span></span>
      )}
      {after ? (
        <a class="card after" href={after.href}>
          <span>Next</span> <strong>{after.label}</strong>
        </a>
      ) : (
        <span></span>
      )}
    </nav>
  )
}

const KeyNote = ({ reader }: { reader: ReferenceReader | undefined }) => (
  <p class="quiet" id="key-note">
    {reader ? (
      <>
        Without a key here, requests use the key <b>{reader.keyName}</b>, which is signed in to the{' '}
        <a href="/console">console</a>. A key typed here stays in this page.
      </>
    ) : (
      <>
        The key stays in this page: it is not stored, and goes to this service alone. Or{' '}
        <a href="/console/sign-in?next=/docs/api">sign in</a> once, for the console as well.
      </>
    )}
  </p>
)

/** A person who is signed in to the console in this browser. */
export interface ReferenceReader {
  readonly keyName: string
  /** Sent with requests of this page, instead of a key. */
  readonly pageToken: string
}

export const ReferencePage = ({ reader }: { reader: ReferenceReader | undefined }) => (
  <DocsDocument
    title="API reference"
    here="/docs/api"
    sheets={['/web/reference/swagger-ui.css', '/web/reference.css']}
    scripts={['/web/docs/reference.js']}
  >
    <div id="main" class="reference" tabindex={-1}>
      <section aria-label="Key and search">
        <h1 class="hidden">API reference</h1>
        <h2 class="hidden">Routes by chapter</h2>
        <form class="reference-key" id="key-form" data-page-token={reader?.pageToken ?? ''}>
          <label for="key">Key, for “Try it out”</label>
          <input id="key" name="key" type="password" autocomplete="off" spellcheck={false} />
          <label for="filter">Find</label>
          <input id="filter" name="filter" type="search" placeholder="path, field or words" />
          <KeyNote reader={reader} />
        </form>
        <p class="quiet" id="found" role="status"></p>
      </section>
      <div id="reference">
        <noscript>
          The reference needs JavaScript. <a href="/openapi.json">openapi.json</a> has the same
          contents.
        </noscript>
      </div>
    </div>
  </DocsDocument>
)
