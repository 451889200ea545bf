/** The facts of a change: reason and method, participants, result, and history. */
import { changeTemplate } from '../../../../proto/access/change-templates.ts'
import type { ChangeStep, ChangeView } from '../../../../proto/access/change.ts'
import { approvals } from '../../../../proto/access/review-slots.ts'
import { Facts, Link, Section, Time } from '../../html/parts.tsx'
import { Table } from '../../html/table.tsx'
import type { Visit } from '../../visit.ts'
import { clientName, nameOf, needTitle } from '../../words/names.ts'
import { ruleWords, slotsWord, words } from '../../words/words.ts'
import { missing } from './standing.ts'
import { Window } from './window.tsx'

export const ChangeFacts = ({ visit, change }: { visit: Visit; change: ChangeView }) => {
  const { terms, window, tenant, shown } = change
  const template = terms.templateId === undefined ? undefined : changeTemplate(terms.templateId)
  const text = (term: string, is: string) => is !== '' && { term, is: <bdi>{is}</bdi> }
  return (
    <Facts
      of={[
        visit.isStaff && { term: 'Client', is: clientName(visit, tenant) },
        {
          term: 'Need',
          is: (
            <a href={visit.at(`/needs/${terms.needId}`)}>
              {shown?.need.title ?? needTitle(visit, terms.needId)}
            </a>
          ),
        },
        text('Description', terms.description),
        { term: 'Kind', is: words(terms.kind) },
        {
          term: 'Type',
          is: template ? `${words(terms.type)}: ${template.title}` : words(terms.type),
        },
        template && { term: 'Approved beforehand', is: template.approval },
        text('Impact', terms.impact),
        text('Test plan', terms.testPlan),
        text('Way back', terms.rollbackPlan),
        { term: 'The client notices it', is: terms.clientVisible ? 'Yes' : 'No' },
        terms.window && {
          term: 'Window asked for',
          is: <Window visit={visit} of={terms.window} isBooked />,
        },
        window && {
          term: 'Window booked',
          is: <Window visit={visit} of={window} isBooked />,
        },
      ]}
    />
  )
}

export const People = ({ visit, change }: { visit: Visit; change: ChangeView }) => {
  const { proposedBy, terms, policy, implementer, result, postReview, status } = change
  const given = approvals(change)
  const isOpen = status === 'proposed' || status === 'reviewed'
  return (
    <Facts
      of={[
        { term: 'Proposed by', is: nameOf(visit, proposedBy.id) },
        given.length > 0 && {
          term: 'Approved by',
          is: given
            .map(
              ({ reviewerId, slot }) =>
                `${nameOf(visit, reviewerId)}, ${words(slot).toLowerCase()}`,
            )
            .join(' · '),
        },
        policy && {
          term: 'Must be approved by',
          is: (
            <>
              {policy.slots.length === 0 ? 'Nobody in particular' : slotsWord(policy.slots)}
              {isOpen && given.length > 0 ? `; still missing: ${missing(change)}` : ''}
              <ul>
                {policy.rules.map((rule) => (
                  <li class="quiet">{ruleWords[rule] ?? rule}</li>
                ))}
              </ul>
            </>
          ),
        },
        terms.implementerId !== undefined && {
          term: 'To be done by',
          is: nameOf(visit, terms.implementerId),
        },
        implementer && {
          term: 'Done by',
          is: (
            <>
              {nameOf(visit, implementer.id)}, since{' '}
              <Time ms={implementer.atMs} zone={visit.zone} />
            </>
          ),
        },
        result &&
          result.by.id !== implementer?.id && {
            term: 'Reported by',
            is: nameOf(visit, result.by.id),
          },
        postReview?.reviewerId !== undefined && {
          term: 'Looked at afterwards by',
          is: `${nameOf(visit, postReview.reviewerId)}${postReview.selfReviewed ? ', who had a part in it' : ''}`,
        },
      ]}
    />
  )
}

/** What the implementer reported. */
export const Came = ({ visit, change: { result } }: { visit: Visit; change: ChangeView }) => {
  if (!result) return <></>
  return (
    <Section title="What came of it">
      <Facts
        of={[
          {
            term: 'Evidence',
            is: (
              <ul>
                {result.evidence.map((one) => (
                  <li>
                    <Link url={one} />
                  </li>
                ))}
              </ul>
            ),
          },
          result.notes !== '' && { term: 'Notes', is: <bdi>{result.notes}</bdi> },
          { term: 'Reported', is: <Time ms={result.atMs} zone={visit.zone} /> },
        ]}
      />
    </Section>
  )
}

/** In chronological order. */
export const History = ({ visit, of }: { visit: Visit; of: readonly ChangeStep[] }) => (
  <Table
    caption="The states that it has come to"
    columns={[
      { label: 'State', isHead: true, cell: ({ status }: ChangeStep) => words(status) },
      { label: 'When', cell: ({ atMs }) => <Time ms={atMs} zone={visit.zone} /> },
      { label: 'By', cell: ({ by }) => nameOf(visit, by) },
    ]}
    rows={of}
  />
)
