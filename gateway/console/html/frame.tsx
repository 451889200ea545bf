/** The frame of the console's pages, and the page before sign-in. */
import { BarePage, Brand, Document, Main, type PageAssets } from '../../html/document.tsx'
import type { Markup } from '../../html/markup.ts'
import type { PageContent } from '../../html/page-content.ts'
import { currentOf, MenuButton, SideNav } from '../../html/side-nav.tsx'
import { consoleLimits } from '../limits.ts'
import { isInScope, type ConsoleSection } from '../page.ts'
import type { ConsoleVisit } from '../visit.ts'

const consoleAssets: PageAssets = {
  sheet: '/web/console.css',
  module: '/web/console/console.js',
}

export interface ConsoleFrameProps {
  readonly visit: ConsoleVisit
  readonly shown: PageContent
  readonly sections: readonly ConsoleSection[]
  readonly notice?: Markup
}

export const ConsoleFrame = ({ visit, shown, sections, notice }: ConsoleFrameProps) => {
  const { principal } = visit.facts
  return (
    <Document
      title={`${shown.title} – Console – Troupe`}
      assets={consoleAssets}
      bodyClass="console"
    >
      <header class="top">
        <a class="brand" href="/console">
          <Brand /> Troupe
        </a>
        <span class="client">{visit.isAdmin ? 'All tenants' : principal.tenant}</span>
        <FindForm visit={visit} />
        <span class="whose">
          Key <b>{principal.keyName}</b>
        </span>
        <MenuButton />
      </header>
      <div class="frame">
        <SideNav groups={navOf(visit, sections)} visit={visit} signOutAt="/console/sign-out" />
        <Main shown={shown} notice={notice} />
      </div>
    </Document>
  )
}

/** Works without scripts; `../../web/console/finding.js` shows what it finds while somebody types. */
const FindForm = ({ visit }: { visit: ConsoleVisit }) => {
  const path = visit.at('/find')
  return (
    <form class="find" role="search" action={path} aria-label="Everything">
      <label class="hidden" for="find">
        Find sessions, tasks, keys and pages
      </label>
      <input
        id="find"
        name="q"
        type="search"
        placeholder="Find ( / )"
        value={visit.facts.request.path === path ? visit.asked('q') : undefined}
        autocomplete="off"
        maxlength={consoleLimits.searchChars}
      />
    </form>
  )
}

function navOf(visit: ConsoleVisit, sections: readonly ConsoleSection[]) {
  const { path } = visit.facts.request
  const links = sections
    .flatMap(({ nav }) => nav ?? [])
    .filter(({ scope }) => isInScope(visit.facts.principal, scope))
    .map(({ label, path: to, below = to }) => {
      const current =
        path === visit.at(to) ? 'page' : currentOf(visit.at(below), visit.at(''), path)
      return { href: visit.at(to), label, current }
    })
  const help = [{ href: '/docs', label: 'Docs', current: undefined }]
  return [
    { label: '', links },
    { label: 'Help', links: help },
  ]
}

/** For people who are not signed in, and for errors outside a visit. */
export const BareConsolePage = ({ shown, notice }: { shown: PageContent; notice?: Markup }) => (
  <BarePage
    shown={shown}
    assets={consoleAssets}
    notice={notice}
    help="Need a key? Ask the operator of this service."
  />
)
