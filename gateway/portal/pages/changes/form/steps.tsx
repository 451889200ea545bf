/** The steps before a change's form: client, kind and target. */
import { areaKeys, areaRules, technicalAreas } from '../../../../../proto/access/areas/areas.ts'
import {
  changeTemplates,
  isRequestable,
} from '../../../../../proto/access/changes/change-templates.ts'
import { customAccess } from '../../../../../proto/access/changes/change-terms.ts'
import type { ClientId } from '../../../../../proto/access/ids.ts'
import { ChoiceField, SelectField, TextField } from '../../../../html/fields.tsx'
import { hiddenField } from '../../../../html/form.tsx'
import { EmptyState, PageSection } from '../../../../html/parts.tsx'
import type { PageContent } from '../../../../html/page-content.ts'
import type { Visit } from '../../../visit.ts'
import { clientName } from '../../../words/names.ts'
import type { Markup } from '../../../../html/markup.ts'
import { targetWord } from '../change/target.tsx'
import { recordsIn } from './base.ts'
import {
  kindOfArea,
  subjectParam,
  changeSubjectPairs,
  servedClients,
  subjectParams,
  type ChangeSubject,
} from './change-subject.ts'

const title = 'Request a change'
const up = (visit: Visit) => ({ href: visit.at('/changes'), label: 'Changes' })

const stepHref = (visit: Visit, more: Readonly<Record<string, string>>) => {
  const kept = subjectParams.flatMap((name) => {
    const value = subjectParam(visit, name)
    return value === undefined ? [] : [[name, value] as const]
  })
  const query = new URLSearchParams({ ...Object.fromEntries(kept), ...more })
  return visit.at(`/changes/new?${query}`)
}

const Step = ({
  visit,
  pairs,
  children,
}: {
  visit: Visit
  pairs: readonly (readonly [string, string])[]
  children?: Markup
}) => (
  <form method="get" action={visit.at('/changes/new')} class="narrow">
    {pairs.map(([name, value]) => hiddenField(name, value))}
    {children}
    <button type="submit" class="button main">
      Continue
    </button>
  </form>
)

export function clientStep(visit: Visit): PageContent {
  const clients = servedClients(visit)
  const kept = subjectParams.flatMap((name) => {
    const value = name === 'client' ? undefined : subjectParam(visit, name)
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    title,
    lead: 'A change is made for one client and one of its needs.',
    up: up(visit),
    body:
      clients.length === 0 ? (
        <EmptyState title="There is no active client.">
          <p>Changes can be requested only for active clients.</p>
        </EmptyState>
      ) : (
        <Step visit={visit} pairs={kept}>
          <SelectField
            {...{ name: 'client', label: 'Client' }}
            choices={clients.map(({ id, name }) => ({ value: id, label: name }))}
          />
        </Step>
      ),
  }
}

const others = [
  ['custom_access', 'A custom view', 'Selected fields and records of one area, at their own URL.'],
  ['integration', 'An integration', 'A connection between systems. Nothing is written here.'],
  ['other', 'Something else', 'Nothing is written here, but evidence of the work is kept.'],
] as const

const areaNotes: Readonly<Record<(typeof technicalAreas)[number], string>> = {
  projects: 'Plan, health, milestones.',
  deployments: 'A release and its environment.',
  domains: 'Registration, name servers, DNS records.',
  monitoring: 'What is checked, and how often.',
  'workflow-actions': 'What can be run, and what triggers it.',
}

export function kindStep(visit: Visit, client: ClientId): PageContent {
  return {
    title,
    lead: visit.isStaff
      ? `For ${clientName(visit, client)}. What is the change about?`
      : 'What is the change about?',
    up: up(visit),
    body: (
      <>
        <PageSection title="Technical records">
          <ul class="todo">
            {technicalAreas.map((area) => (
              <li>
                <a href={stepHref(visit, { kind: kindOfArea[area], area })}>
                  {areaRules[area].label}
                </a>
                <span class="quiet">{areaNotes[area]}</span>
              </li>
            ))}
          </ul>
        </PageSection>
        <PageSection title="Other changes">
          <ul class="todo">
            {others.map(([kind, label, note]) => (
              <li>
                <a href={stepHref(visit, { kind })}>{label}</a>
                <span class="quiet">{note}</span>
              </li>
            ))}
          </ul>
        </PageSection>
        <PageSection title="Standard changes">
          <p class="quiet">Pre-approved, as long as they write only what their template allows.</p>
          <ul class="todo">
            {changeTemplates.filter(isRequestable).map(({ id, title, area }) => (
              <li>
                <a href={stepHref(visit, { template: id })}>{title}</a>
                <span class="quiet">{areaRules[area].label}</span>
              </li>
            ))}
          </ul>
        </PageSection>
      </>
    ),
  }
}

/** Chooses the record, and whether to change or delete it, for an updating template or a kind. */
export async function recordStep(visit: Visit, subject: ChangeSubject): Promise<PageContent> {
  const { on, client, template } = subject
  if (on === undefined) throw new Error('a change that writes nothing has no record')
  const known =
    on === customAccess
      ? visit
          .list('custom', client)
          .filter(({ status }) => status === 'active')
          .map(({ id, definition }) => ({ value: id, label: definition.title }))
      : await recordsIn(visit, client, on)
  const fresh = template ? [] : [{ value: 'new', label: 'A new record' }]
  const other = { value: 'other', label: 'A record that is not listed' }
  const choices = [...fresh, ...known, ...(on === customAccess ? [] : [other])]
  return {
    title: template?.title ?? title,
    lead: template?.about ?? `${targetWord(on)}: choose the record.`,
    up: { href: visit.at('/changes/new'), label: 'Kind of change' },
    body: (
      <Step
        visit={visit}
        pairs={changeSubjectPairs({ ...subject, record: undefined, does: 'change' }, visit.isStaff)}
      >
        <SelectField
          {...{ name: 'record', label: 'Record', choices }}
          hint="Lists the records that your portal grants show."
          value={visit.asked('record')}
        />
        {on === customAccess ? (
          ''
        ) : (
          <TextField
            {...{ name: 'other', label: 'ID of a record that is not listed', isOptional: true }}
            hint="From the API, or from someone who can see the record."
            value={visit.asked('other')}
          />
        )}
        {template ? (
          ''
        ) : (
          <ChoiceField
            {...{ name: 'does', label: 'Action', kind: 'radio' }}
            choices={[
              { value: 'change', label: 'Create or update it' },
              { value: 'delete', label: 'Delete it' },
            ]}
            chosen={['change']}
          />
        )}
      </Step>
    ),
  }
}

/** Chooses the area of a new view, which determines its fields. */
export function sourceStep(visit: Visit, subject: ChangeSubject): PageContent {
  return {
    title,
    lead: 'A custom view shows records of one area.',
    up: { href: visit.at('/changes/new'), label: 'Kind of change' },
    body: (
      <Step visit={visit} pairs={changeSubjectPairs(subject, visit.isStaff)}>
        <SelectField
          {...{ name: 'source', label: 'Area' }}
          choices={areaKeys.map((area) => ({ value: area, label: areaRules[area].label }))}
        />
      </Step>
    ),
  }
}
