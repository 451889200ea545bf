/** The verification of the audit's chain. */
import { defined } from '../../../../proto/defined.ts'
import { verdictJson } from '../../../access/audit/json.ts'
import { dataJson } from '../../../routing/schemas/access-json.ts'
import { clientAsked } from '../../html/client-filter.tsx'
import { ButtonLink, FactList, NoticeBox } from '../../../html/parts.tsx'
import type { PageContent } from '../../../html/page-content.ts'
import type { Visit } from '../../visit.ts'
import { clientName } from '../../words/names.ts'

export async function showVerdict(visit: Visit): Promise<PageContent> {
  const client = clientAsked(visit)
  const from = visit.asked('from')
  const query = {
    ...defined({ client_id: client, from }),
  }
  const { acts } = visit.deps
  const answer = dataJson(verdictJson)
  const { data } = await acts.run(visit.facts, 'GET /v1/audit-entries/verify', { query }, answer)
  const of =
    data.client_id === undefined ? 'of Troupe itself' : `of ${clientName(visit, data.client_id)}`
  const next = new URLSearchParams({ ...(client && { client }), from: String(data.to + 1) })
  return {
    title: data.ok ? 'The chain is intact' : 'The chain is broken',
    lead: `The audit ${of}.`,
    up: { href: visit.at('/audit'), label: 'Audit' },
    body: (
      <>
        {data.first_bad ? (
          <NoticeBox tone="bad" title={`Entry ${data.first_bad.n} failed verification`}>
            <p>{data.first_bad.why}</p>
          </NoticeBox>
        ) : (
          <NoticeBox tone="good" title="Every entry matches the one before it" />
        )}
        <FactList
          of={[
            { term: 'From entry', is: String(data.from) },
            { term: 'To entry', is: String(data.to) },
            { term: 'Matching signed checkpoints', is: String(data.checkpoints.matched) },
            data.checkpoints.unknown_key > 0 && {
              term: 'Checkpoints signed with other keys',
              is: String(data.checkpoints.unknown_key),
            },
          ]}
        />
        {data.complete ? (
          ''
        ) : (
          <ButtonLink href={`${visit.at('/audit/verify')}?${next}`}>
            Verify the next entries
          </ButtonLink>
        )}
      </>
    ),
  }
}
