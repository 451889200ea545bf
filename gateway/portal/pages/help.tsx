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
              {
                term: 'Service scope',
                is: 'What the contract covers. Access beyond it cannot be granted.',
              },
              {
                term: 'Need',
                is: 'What has to be done, and until when. All access is granted for a need.',
              },
              { term: 'Request', is: 'Someone asks for access and says what it is for.' },
              {
                term: 'Review',
                is: 'Other people decide on the request and give a reason, which is kept.',
              },
              {
                term: 'Grant',
                is: 'The access they approved. It ends on its last day or with its need.',
              },
              { term: 'Token', is: 'Lets a program use a grant. It is shown once.' },
              { term: 'Audit', is: 'Who did what and why, in a tamper-evident chain.' },
            ]}
          />
        </PageSection>
        <PageSection title="Contacts">
          <p>
            {ask === ''
              ? 'Ask a staff admin for help.'
              : `${ask} can invite people, open needs and decide for ${visit.client?.name ?? ''}.`}
          </p>
        </PageSection>
      </>
    ),
  }
}
