/** Explains terms and lists contacts; linked at the foot of every page. */
import { FactList, PageSection } from '../../html/parts.tsx'
import { bothSurfaces, type PortalSection as Pages } from '../page.ts'
import type { PageContent } from '../../html/page-content.ts'
import type { Visit } from '../visit.ts'

export const helpSection: Pages = {
  group: 'You',
  nav: [],
  pages: [{ path: '/help', in: bothSurfaces, show }],
}

function show(visit: Visit): PageContent {
  const owners = visit.list('person').filter(({ roles, status }) => {
    return status === 'active' && roles.some((role) => role === 'owner')
  })
  const ask = visit.client ? owners.map(({ name }) => name).join(', ') : ''
  return {
    title: 'Help',
    lead: 'Access is always decided by people, and it always expires.',
    body: (
      <>
        <PageSection title="How access works">
          <FactList
            of={[
              { term: 'Service scope', is: 'What is contracted. Nothing beyond it can be given.' },
              { term: 'Need', is: 'What has to be done, and until when. All access is for one.' },
              { term: 'Request', is: 'Somebody asks, and says what for.' },
              { term: 'Review', is: 'Other people decide, with a reason that is kept.' },
              { term: 'Grant', is: 'What they allowed. It ends at its date, or with its need.' },
              { term: 'Token', is: 'Lets a program use a grant. It is shown once.' },
              { term: 'Audit', is: 'Who did what and why, in a chain that nobody can shorten.' },
            ]}
          />
        </PageSection>
        <PageSection title="Whom to ask">
          <p>
            {ask === ''
              ? 'An admin of the staff can help you on.'
              : `${ask} can invite people, open needs and speak for ${visit.client?.name ?? ''}.`}
          </p>
        </PageSection>
      </>
    ),
  }
}
