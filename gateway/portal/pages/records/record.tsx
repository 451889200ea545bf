/** One record, and why the person can see it. */
import { areaRules, type AreaKey } from '../../../../proto/access/areas.ts'
import { commonFields } from '../../../../proto/access/areas/define-area.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import { readOf } from '../../../../runtime/access/audit/reads.ts'
import type { PortalAccess } from '../../../access/authorize.ts'
import type { RecordJson } from '../../../../runtime/access/records/record-json.ts'
import { Code, Facts, Section, Status } from '../../html/parts.tsx'
import type { Shown } from '../../page.ts'
import type { Visit } from '../../visit.ts'
import { nameOf } from '../../words/names.ts'
import { words } from '../../words/words.ts'
import { areaIn, through, WhyFacts } from './access.tsx'
import { AskForChange, ChangesOf } from './changes.tsx'
import { titleOf } from './columns.ts'
import { History } from './history.tsx'
import { valueOf } from './values.tsx'

const isCommon = (name: string) => commonFields.some((each) => each === name)

export async function showRecord(visit: Visit): Promise<Shown> {
  const area = areaIn(visit)
  const { record, seenBy } = await found(visit, area)
  const { access } = seenBy
  const id = visit.param('id')
  const versions = area === 'reports' ? [] : await visit.deps.records.history(access, area, id)
  visit.deps.reads.add(readOf(access, area, [id], visit.now))
  const fields = Object.entries(record).filter(([name]) => !isCommon(name))
  const { status } = record
  return {
    title: titleOf(record),
    up: { href: visit.at(`/records/${area}`), label: areaRules[area].label },
    actions: (
      <>
        {typeof status === 'string' ? <Status of={status} /> : ''}
        <AskForChange visit={visit} area={area} of={seenBy} />
      </>
    ),
    body: (
      <>
        <Facts
          of={fields.map(([name, value]) => ({
            term: words(name),
            is: valueOf(visit, name, value),
          }))}
        />
        <Section title="Why can I see this?">
          <WhyFacts visit={visit} area={area} of={seenBy} />
        </Section>
        <ChangesOf visit={visit} area={area} />
        {versions.length === 0 ? (
          ''
        ) : (
          <Section title="History">
            <History visit={visit} versions={versions} />
          </Section>
        )}
        <Section title="About this record">
          <Facts of={about(visit, record)} />
        </Section>
      </>
    ),
  }
}

function about(visit: Visit, record: RecordJson) {
  const by = (field: string) =>
    typeof record[field] === 'string' && [', by ', nameOf(visit, String(record[field]))]
  return [
    { term: 'ID', is: <Code>{String(record['id'])}</Code> },
    { term: 'Version', is: String(record['version']) },
    {
      term: 'Created',
      is: [valueOf(visit, 'created_at', record['created_at']), by('created_by') || ''],
    },
    {
      term: 'Changed',
      is: [valueOf(visit, 'updated_at', record['updated_at']), by('updated_by') || ''],
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
async function found(visit: Visit, area: AreaKey): Promise<Found> {
  const { chosen, all } = through(visit, area)
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
