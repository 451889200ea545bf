/**
 * The values of cells. What can be read in two ways (03/04/2026, 1.234) is refused with what to
 * write instead, because a wrong guess would become a figure.
 */
import type { FieldType } from '../../../proto/access/areas/field-type.ts'
import { foldName } from './column-names.ts'

/** A cell that cannot be read; the text follows the name of the column. */
export class CellError extends Error {}

/** Other words for the values of fields, folded. */
const choiceNames: Readonly<Record<string, string>> = {
  marketingqualifiedlead: 'marketing_qualified',
  salesqualifiedlead: 'sales_qualified',
  todo: 'not_started',
  done: 'completed',
  normal: 'medium',
}

const yes: ReadonlySet<string> = new Set(['true', 'yes', '1', 'wahr', 'ja'])
const no: ReadonlySet<string> = new Set(['false', 'no', '0', 'falsch', 'nein'])

export function cellValue(type: FieldType, text: string): unknown {
  switch (type.kind) {
    case 'text':
      return text
    case 'choice':
      return choiceOf(type.values, text)
    case 'flag': {
      const folded = foldName(text)
      if (yes.has(folded)) return true
      if (no.has(folded)) return false
      throw new CellError('must be true or false')
    }
    case 'number':
      return numberOf(text.replace(/ *%$/, ''))
    case 'day':
      // Exports write 2026-12-31 09:30 where a day is meant.
      return dayOf(text.replace(/[T ].*$/, ''))
    case 'time':
      return timeOf(text)
    case 'list':
      return listOf(type.items, text)
    case 'object':
      return jsonOf(text)
  }
}

/** An unknown value is returned as it is: the area's schema refuses it. */
function choiceOf(values: readonly string[], text: string): string {
  const folded = foldName(text)
  const other = choiceNames[folded]
  const found = values.find((value) => foldName(value) === folded || value === other)
  return found ?? text
}

function listOf(items: FieldType, text: string): unknown {
  if (text.startsWith('[')) return jsonOf(text)
  if (items.kind !== 'text' && items.kind !== 'choice') {
    throw new CellError('must be a list as JSON')
  }
  const parts = text.split(text.includes(';') ? ';' : ',').map((part) => part.trim())
  return parts.filter((part) => part !== '').map((part) => cellValue(items, part))
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new CellError('must be JSON: a list or an object')
  }
}

const plainNumber = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/
/** The last separator is that of decimals; the others must stand in groups of three digits. */
const writtenNumber = /^(-?\d{1,3}(?:([.,' \u00a0\u202f’])\d{3})*|-?\d+)(?:([.,])(\d+))?$/

function numberOf(text: string): number {
  if (plainNumber.test(text)) return Number(text)
  return writtenNumberOf(text)
}

/** For amounts of money: nobody writes three decimals, so 1.234 may be a thousand. */
export function moneyOf(text: string): number {
  return writtenNumberOf(text.replaceAll(/^[^\d-]+|[^\d]+$/g, ''))
}

function writtenNumberOf(text: string): number {
  const [, whole, group, decimal, decimals = ''] = writtenNumber.exec(text) ?? []
  const isOneGroup = /^-?\d{1,3}[.,]\d{3}$/.test(text)
  if (isOneGroup) {
    throw new CellError(
      `${text} can be read in two ways; write it without a separator of thousands`,
    )
  }
  if (whole === undefined || (group !== undefined && group === decimal)) {
    throw new CellError('must be a number such as 1234.50')
  }
  return Number(`${whole.replaceAll(/[^\d-]/g, '')}${decimal === undefined ? '' : '.'}${decimals}`)
}

/** In the smallest unit of the currency, as it is stored. */
export function smallestUnits(amount: number, currency: string): number {
  if (!/^[A-Z]{3}$/.test(currency)) throw new CellError('must have a currency code such as EUR')
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  return Math.round(amount * 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))
}

function dayOf(text: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return text
  const [, a = '', separator = '', b = '', year = ''] =
    /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/.exec(text) ?? []
  const [first, second] = [Number(a), Number(b)]
  if (year === '') throw new CellError('must be a date such as 2026-12-31')
  const isDayFirst = separator === '.' || first > 12
  if (!isDayFirst && second <= 12 && first !== second) {
    throw new CellError(`${text} can be read in two ways; write it as 2026-12-31`)
  }
  const [day, month] = isDayFirst ? [first, second] : [second, first]
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
}

/** A time without a zone is UTC. */
function timeOf(text: string): string {
  if (/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text)) return text
  const [, day = '', clock = '00:00', seconds = ':00'] =
    /^(.*?)(?:[T ]+(\d{1,2}:\d\d)(:\d\d(?:\.\d+)?)?)?$/.exec(text) ?? []
  return `${dayOf(day)}T${clock.padStart(5, '0')}${seconds}Z`
}

/** E.164. `callingCode` is for numbers without one, such as 030 123456. */
export function phoneOf(text: string, callingCode: string | undefined): string {
  const digits = text.replaceAll('(0)', '').replaceAll(/[\s().\-/\u00a0]/g, '')
  if (digits.startsWith('+')) return digits
  if (digits.startsWith('00')) return `+${digits.slice(2)}`
  if (!/^\d+$/.test(digits)) return text
  if (callingCode !== undefined) {
    // In Italy, the leading 0 is part of the number.
    return `+${callingCode}${callingCode === '39' ? digits : digits.replace(/^0/, '')}`
  }
  const hint =
    'has no country code; write +…, or give the code of all such numbers (--calling-code 49)'
  throw new CellError(`${text.slice(0, 40)} ${hint}`)
}

export const websiteOf = (text: string): string =>
  /^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `https://${text}`

/** Folded names of countries in English and German, by Intl. */
let countries: ReadonlyMap<string, string> | undefined

export function countryOf(text: string): string {
  countries ??= new Map([...['de', 'en'].flatMap(countryNames), ['usa', 'US'], ['uk', 'GB']])
  return countries.get(foldName(text)) ?? (text.length === 2 ? text.toUpperCase() : text)
}

function countryNames(language: string): readonly (readonly [string, string])[] {
  const names = new Intl.DisplayNames([language], { type: 'region', fallback: 'none' })
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const codes = letters.flatMap((a) => letters.map((b) => a + b))
  return codes.flatMap((code) => {
    const name = names.of(code)
    // Without former codes, such as DD, which have the names of today's countries.
    const isCurrent = new Intl.Locale(`und-${code}`).region === code
    return name === undefined || !isCurrent ? [] : [[foldName(name), code] as const]
  })
}
