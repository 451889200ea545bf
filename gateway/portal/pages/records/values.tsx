/** Renders a record's value of any type for people. Text is never interpreted as markup. */
import { areaKeys, isAreaKey } from '../../../../proto/access/areas/areas.ts'
import { isRecordId } from '../../../../proto/access/areas/prefixes.ts'
import { isAccessId } from '../../../../proto/access/ids.ts'
import type { Markup } from '../../../html/markup.ts'
import { IdCode, FactList, ExternalLink } from '../../../html/parts.tsx'
import { StatusMark } from '../../html/status-mark.tsx'
import { DataTable } from '../../../html/table.tsx'
import type { Visit } from '../../visit.ts'
import { objectNameOf } from '../../words/names.ts'
import { dayWord, timeWord } from '../../../html/times.ts'
import { toWords } from '../../words/words.ts'

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const states: readonly string[] = ['status', 'health', 'severity']
const shares: readonly string[] = ['progress', 'confidence']
const percents: readonly string[] = ['probability', 'difficulty']
const shown = new Intl.NumberFormat('en-GB')
const deepest = 4

/** `name` is the field's name. */
export function valueMarkup(visit: Visit, name: string, value: unknown, depth = 0): Markup {
  if (value === undefined || value === null || value === '') return <span class="quiet">–</span>
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value === 'number') return numberOf(name, value)
  if (typeof value === 'string') return textOf(visit, name, value)
  if (depth >= deepest) return <IdCode>{JSON.stringify(value)}</IdCode>
  if (Array.isArray(value)) return listOf(visit, name, value as readonly unknown[], depth)
  return isObject(value) ? objectOf(visit, value, depth) : String(value)
}

function numberOf(name: string, value: number): string {
  if (shares.includes(name)) return `${Math.round(value * 100)} %`
  return percents.includes(name) ? `${shown.format(value)} %` : shown.format(value)
}

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/
const dayPattern = /^\d{4}-\d\d-\d\d$/

function textOf(visit: Visit, name: string, value: string): Markup {
  if (states.includes(name)) return <StatusMark of={value} />
  if (timePattern.test(value)) {
    return <time datetime={value}>{timeWord(Date.parse(value), visit.zone)}</time>
  }
  if (dayPattern.test(value))
    return <time datetime={value}>{dayWord(Date.parse(value), 'UTC')}</time>
  if (isAccessId('person', value)) return objectNameOf(visit, value)
  const area = areaKeys.find((each) => isRecordId(each, value))
  if (area) return <a href={visit.at(`/records/${area}/${value}`)}>{value}</a>
  if (/^https?:\/\//i.test(value)) return <ExternalLink url={value} />
  // A key defined by the service, such as `sales_qualified`; text by people is not changed.
  if (/^[a-z]+(_[a-z]+)+$/.test(value) || isEnumField(name)) return toWords(value)
  return <bdi>{value}</bdi>
}

const enums: readonly string[] = [
  ...['kind', 'priority', 'environment', 'lifecycle_stage', 'strategy', 'trigger', 'intent'],
  ...['action', 'category'],
]
const isEnumField = (name: string) => enums.includes(name)

function listOf(visit: Visit, name: string, list: readonly unknown[], depth: number): Markup {
  if (list.length === 0) return <span class="quiet">None</span>
  const rows = list.filter(isObject)
  if (rows.length < list.length) {
    const isShort = list.every((one) => typeof one !== 'object' && String(one).length < 40)
    if (isShort)
      return list.map((one, i) => [i > 0 ? ', ' : '', valueMarkup(visit, name, one, depth)])
    return (
      <ul>
        {list.map((one) => (
          <li>{valueMarkup(visit, name, one, depth + 1)}</li>
        ))}
      </ul>
    )
  }
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const isFlat = keys.length <= 5 && rows.every((row) => !Object.values(row).some(isLong))
  if (!isFlat) {
    return (
      <ul class="plain">
        {rows.map((row) => (
          <li>{objectOf(visit, row, depth)}</li>
        ))}
      </ul>
    )
  }
  const columns = keys.map((key, i) => ({
    label: toWords(key),
    isHead: i === 0,
    cell: (row: Json) => valueMarkup(visit, key, row[key], depth + 1),
  }))
  return <DataTable caption={toWords(name)} columns={columns} rows={rows} />
}

const isLong = (value: unknown) =>
  (typeof value === 'object' && value !== null) || (typeof value === 'string' && value.length > 80)

function objectOf(visit: Visit, value: Json, depth: number): Markup {
  const { value: amount, currency } = value
  if (typeof amount === 'number' && typeof currency === 'string') return moneyOf(amount, currency)
  const { area, id } = value
  if (typeof area === 'string' && typeof id === 'string' && isAreaKey(area)) {
    return <a href={visit.at(`/records/${area}/${id}`)}>{`${toWords(area)}: ${id}`}</a>
  }
  const facts = Object.entries(value).map(([key, one]) => ({
    term: toWords(key),
    is: valueMarkup(visit, key, one, depth + 1),
  }))
  return <FactList of={facts} />
}

/** Amounts are in the smallest unit of their currency. */
function moneyOf(amount: number, currency: string): string {
  try {
    const format = new Intl.NumberFormat('en-GB', { style: 'currency', currency })
    const { maximumFractionDigits: digits = 2 } = format.resolvedOptions()
    return format.format(amount / 10 ** digits)
  } catch (error) {
    if (error instanceof RangeError) return `${amount} ${currency}`
    throw error
  }
}
