/** One record, and why the person can see it. */
import { areaRules, type AreaKey } from '../../../../proto/access/areas/areas.ts'
import { commonFields } from '../../../../proto/access/areas/define-area.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import { recordReadOf } from '../../../../runtime/access/audit/sources/reads.ts'
import type { PortalAccess } from '../../../access/gate/authorize.ts'
import type { RecordJson } from '../../../../runtime/access/records/record-json.ts'
import { IdCode, FactList, PageSection } from '../../../html/parts.tsx'
import { StatusMark } from '../../html/status-mark.tsx'
import type { PageContent } from '../../../html/page-content.ts'
import type { Visit } from '../../visit.ts'
import { objectNameOf } from '../../words/names.ts'
import { toWords } from '../../words/words.ts'
import { areaOfPath, readingGrants, WhyFacts } from './access.tsx'
import { AskForChange, ChangesOf } from './changes.tsx'
import { titleOf } from './columns.ts'
import { EditRecordLink } from './form/pages.tsx'
import { RecordHistory } from './history.tsx'
import { valueMarkup } from './values.tsx'

const isCommon = (name: string) => commonFields.some((each) => each === name)

export async function showRecord(visit: Visit): Promise<PageContent> {
  const area = areaOfPath(visit)
  const { record, seenBy } = await findRecord(visit, area)
  const { access } = seenBy
  const id = visit.param('id')
  const versions = area === 'reports' ? [] : await visit.deps.records.history(access, area, id)
  visit.deps.reads.add(recordReadOf(access, area, [id], visit.now))
  const fields = Object.entries(record).filter(([name]) => !isCommon(name))
  const { status } = record
  return {
    title: titleOf(record),
    up: { href: visit.at(`/records/${area}`), label: areaRules[area].label },
    actions: (
      <>
        {typeof status === 'string' ? <StatusMark of={status} /> : ''}
        <EditRecordLink visit={visit} area={area} of={seenBy} />
        <AskForChange visit={visit} area={area} of={seenBy} />
      </>
    ),
    body: (
      <>
        <FactList
          of={fields.map(([name, value]) => ({
            term: toWords(name),
            is: valueMarkup(visit, name, value),
          }))}
        />
        <PageSection title="Why can I see this?">
          <WhyFacts visit={visit} area={area} of={seenBy} />
        </PageSection>
        <ChangesOf visit={visit} area={area} />
        {versions.length === 0 ? (
          ''
        ) : (
          <PageSection title="History">
            <RecordHistory visit={visit} versions={versions} />
          </PageSection>
        )}
        <PageSection title="About this record">
          <FactList of={about(visit, record)} />
        </PageSection>
      </>
    ),
  }
}

function about(visit: Visit, record: RecordJson) {
  const by = (field: string) =>
    typeof record[field] === 'string' && [', by ', objectNameOf(visit, String(record[field]))]
  return [
    { term: 'ID', is: <IdCode>{String(record['id'])}</IdCode> },
    { term: 'Version', is: String(record['version']) },
    {
      term: 'Created',
      is: [valueMarkup(visit, 'created_at', record['created_at']), by('created_by') || ''],
    },
    {
      term: 'Updated',
      is: [valueMarkup(visit, 'updated_at', record['updated_at']), by('updated_by') || ''],
    },
  ]
}

interface Found {
  readonly record: RecordJson
  readonly seenBy: PortalAccess
}

/**
 * Grants may show different records, so the first one that has this record is used. Throws
 * `not_found`.
 */
async function findRecord(visit: Visit, area: AreaKey): Promise<Found> {
  const { chosen, all } = readingGrants(visit, area)
  let refused: ServiceError | undefined
  for (const seenBy of [chosen, ...all.filter((one) => one !== chosen)]) {
    try {
      const { data } = await visit.deps.records.get(seenBy.access, area, visit.param('id'))
      return { record: data, seenBy }
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 404) throw error
      refused = error
    }
  }
  throw refused
}
