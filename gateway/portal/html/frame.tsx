/** The frame of the pages for signed-in people: person, client and navigation. */
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { mayAttempt } from '../../routing/auth/access-rule.ts'
import { navGroups, type NavItem, type PortalSection } from '../page.ts'
import type { PageContent } from '../../html/page-content.ts'
import { formTokenField } from '../../html/forms/form-token.ts'
import type { Visit } from '../visit.ts'
import { roleWord } from '../words/words.ts'
import { portalAssets } from './bare-page.tsx'
import { Brand, Document, Main } from '../../html/document.tsx'
import { hiddenField } from '../../html/form.tsx'
import type { Markup } from '../../html/markup.ts'
import { NoticeBox } from '../../html/parts.tsx'
import { currentOf, MenuButton, SideNav, type NavLink } from '../../html/side-nav.tsx'

export interface FrameProps {
  readonly visit: Visit
  readonly shown: PageContent
  readonly sections: readonly PortalSection[]
  readonly notice?: Markup
}

export const FramedPage = ({ visit, shown, sections, notice }: FrameProps) => {
  const place = visit.isStaff ? 'Staff' : 'Portal'
  const client = visit.client?.name
  const title = [shown.title, ...(client === undefined ? [] : [client]), place].join(' – ')
  return (
    <Document title={title} assets={portalAssets}>
      <header class="top">
        <a class="brand" href={visit.at('')}>
          <Brand /> Troupe
        </a>
        <span class="client">{client ?? 'Staff'}</span>
        <MenuButton />
      </header>
      <div class="frame">
        <Nav visit={visit} sections={sections} />
        <Main
          shown={shown}
          notice={
            <>
              {visit.deps.singleOperator ? <SingleOperator /> : ''}
              {notice}
            </>
          }
        />
      </div>
      <Foot visit={visit} />
    </Document>
  )
}

const SingleOperator = () => (
  <NoticeBox tone="wait" title="Single-operator mode">
    <p>Rules that require two people do not apply. Every decision made this way is marked.</p>
  </NoticeBox>
)

const Nav = ({ visit, sections }: Pick<FrameProps, 'visit' | 'sections'>) => {
  const groups = navGroups.map((label) => ({
    label,
    links: sections
      .filter((section) => section.group === label)
      .flatMap(({ nav }) => nav)
      .filter((line) => isFor(line, visit))
      .map((line) => linkOf(line, visit)),
  }))
  return <SideNav groups={groups} visit={visit} signOutAt="/portal/sign-out" />
}

function linkOf({ label, path, count }: NavItem, visit: Visit): NavLink {
  const href = visit.at(path)
  const current = currentOf(href, visit.at(''), visit.facts.request.path)
  return { href, label, current, count: count?.(visit) ?? 0 }
}

const isFor = (line: NavItem, { surface, facts }: Visit): boolean =>
  line.in.includes(surface) && (!line.who || mayAttempt(line.who, facts.caller))

/** Shows when the session ends; with scripts, offers two minutes before to stay signed in. */
const Foot = ({ visit }: { visit: Visit }) => {
  const { name, roles } = visit.person
  const endsMs = visit.facts.caller.session.expiresAtMs - visit.now
  const minutes = Math.round(limits.sessionIdleMs / 60_000)
  return (
    <footer class="foot">
      <p>
        {name}, {roles.map(roleWord).join(', ').toLowerCase()}. You are signed out after {minutes}{' '}
        minutes of inactivity. <a href={visit.at('/profile')}>Your profile</a> ·{' '}
        <a href={visit.at('/help')}>Help</a>
      </p>
      <div
        id="stay"
        class="stay"
        role="alert"
        hidden
        data-ends-ms={String(Math.min(limits.sessionIdleMs, endsMs))}
        data-warn-ms={String(limits.sessionWarnMs)}
      >
        <form method="post" action="/portal/stay">
          {hiddenField(formTokenField, visit.facts.formToken)}
          {hiddenField('back', visit.facts.request.path)}
          <p>You will be signed out in two minutes.</p>
          <button type="submit" class="button main">
            Stay signed in
          </button>
        </form>
      </div>
    </footer>
  )
}
