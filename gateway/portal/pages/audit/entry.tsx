/** Get one entry of the audit. */
import { auditEntryJson } from '../../../access/audit/json.ts'
import { dataJson } from '../../../routing/schemas/access-json.ts'
import { IdCode, FactList, PageSection, TimeText } from '../../../html/parts.tsx'
import { StatusMark } from '../../html/status-mark.tsx'
import type { PageContent } from '../../../html/page-content.ts'
import type { Visit } from '../../visit.ts'
import { toWords } from '../../words/words.ts'
import { aboutOf, actionWord, actorOf, clientOf, type ShownEntry } from './cells.tsx'

export async function showEntry(visit: Visit): Promise<PageContent> {
  const act = { params: { id: visit.param('id') } }
  const answer = dataJson(auditEntryJson)
  const { acts } = visit.deps
  const { data } = await acts.run(visit.facts, 'GET /v1/audit-entries/{id}', act, answer)
  const { changes = [] } = data
  return {
    title: actionWord(data.action),
    up: { href: visit.at('/audit'), label: 'Audit' },
    actions: <StatusMark of={data.outcome} />,
    body: (
      <>
        <EntryFacts visit={visit} entry={data} />
        {changes.length === 0 ? '' : <ChangedTo changes={changes} />}
        <InChain entry={data} />
      </>
    ),
  }
}

const EntryFacts = ({ visit, entry }: { visit: Visit; entry: ShownEntry }) => {
  const { changed_fields: fields = [] } = entry
  return (
    <FactList
      of={[
        { term: 'Position in the chain', is: String(entry.n) },
        { term: 'When', is: <TimeText ms={Date.parse(entry.at)} zone={visit.zone} /> },
        visit.isStaff && { term: 'Client', is: clientOf(visit, entry) },
        { term: 'Actor', is: actorOf(visit, entry) },
        { term: 'Object', is: aboutOf(visit, entry.object) },
        entry.reason !== undefined && { term: 'Reason', is: entry.reason },
        entry.need_id !== undefined && {
          term: 'Need',
          is: <a href={visit.at(`/needs/${entry.need_id}`)}>{entry.need_id}</a>,
        },
        entry.grant_id !== undefined && {
          term: 'Grant',
          is: <a href={visit.at(`/access/${entry.grant_id}`)}>{entry.grant_id}</a>,
        },
        entry.route !== undefined && { term: 'Route', is: <IdCode>{entry.route}</IdCode> },
        entry.net !== undefined && { term: 'Network', is: <IdCode>{entry.net}</IdCode> },
        entry.count !== undefined && { term: 'Count', is: String(entry.count) },
        entry.self_reviewed && { term: 'Decided alone', is: 'Yes' },
        fields.length > 0 && { term: 'Fields', is: fields.map(toWords).join(', ') },
        entry.digest !== undefined && { term: 'Digest', is: <IdCode>{entry.digest}</IdCode> },
      ]}
    />
  )
}

const ChangedTo = ({ changes }: { changes: NonNullable<ShownEntry['changes']> }) => (
  <PageSection title="What changed">
    <FactList
      of={changes.map(({ field, to }) => ({
        term: toWords(field),
        is: Array.isArray(to) ? to.join(', ') : String(to),
      }))}
    />
  </PageSection>
)

const InChain = ({ entry }: { entry: ShownEntry }) => (
  <PageSection title="Hash chain">
    <FactList
      of={[
        { term: 'Hash', is: <IdCode>{entry.hash}</IdCode> },
        { term: 'Previous hash', is: <IdCode>{entry.prev}</IdCode> },
        { term: 'ID', is: <IdCode>{entry.id}</IdCode> },
      ]}
    />
  </PageSection>
)
