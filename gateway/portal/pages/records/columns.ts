/** The columns of each area's list; the field that names the record comes first. */
import type { AreaKey } from '../../../../proto/access/areas/areas.ts'
import type { RecordJson } from '../../../../runtime/access/records/record-json.ts'

/** The columns in addition to the name. */
export const areaColumns: Readonly<Record<AreaKey, readonly string[]>> = {
  contacts: ['company_name', 'email', 'lifecycle_stage', 'updated_at'],
  opportunities: ['status', 'amount', 'stage_id', 'expected_close_on'],
  tasks: ['status', 'priority', 'assignee_id', 'due_at'],
  onboarding: ['status', 'progress', 'target_go_live_on'],
  'seo-audits': ['status', 'strategy', 'pages_crawled', 'finished_at'],
  reports: ['kind', 'status', 'period', 'published_at'],
  'content-gaps': ['status', 'keyword', 'priority', 'search_volume'],
  'market-scans': ['status', 'market', 'finished_at'],
  projects: ['status', 'health', 'lead_id', 'target_on'],
  deployments: ['status', 'environment', 'project_id', 'started_at'],
  domains: ['status', 'registrar', 'expires_on'],
  monitoring: ['status', 'kind', 'target', 'last_check_at'],
  'workflow-actions': ['trigger', 'enabled', 'updated_at'],
  enrichment: ['status', 'subject', 'finished_at'],
  extraction: ['status', 'source_urls', 'finished_at'],
  'ai-assistance': ['status', 'kind', 'finished_at'],
}

/** Fields that can name a record, best first. */
const naming: readonly string[] = [
  ...['name', 'title', 'topic', 'hostname', 'site_url', 'release', 'prompt', 'instructions'],
  ...['company_name', 'email', 'key'],
]

const shortChars = 80

/** A record's name; its id if it has none that is visible. */
export function titleOf(record: RecordJson): string {
  const person = [record['first_name'], record['last_name']].filter(isText).join(' ')
  if (person !== '') return person
  const found = naming.map((field) => record[field]).find(isText)
  if (found === undefined) return String(record['id'])
  return found.length > shortChars ? `${found.slice(0, shortChars - 1)}…` : found
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** The sort field for the name column, if the area can be sorted by one. */
export const namingSort = (sortable: readonly string[]): string | undefined =>
  ['last_name', ...naming].find((field) => sortable.includes(field))

const numbers: readonly string[] = [
  ...['amount', 'probability', 'search_volume', 'difficulty', 'pages_crawled', 'score', 'progress'],
]
export const isNumberField = (field: string): boolean => numbers.includes(field)
