/** Reads an NDJSON export of the audit, and finds out whether all of its lines are there. */
import { z } from 'zod'
import {
  auditCheckpoint,
  readAuditId,
  type AuditCheckpoint,
} from '../../../../proto/access/audit/audit.ts'
import { digestOf } from '../../../../proto/access/digest.ts'
import type { TextSigner } from '../../../accounts/seal/signer.ts'
import {
  closingFault,
  ExportSum,
  readClosingLine,
  type ClosingLine,
  type ExportedPlace,
} from './closing-line.ts'

export interface ReadExport {
  /** Digests of the entries, by chain and number. */
  readonly chains: ReadonlyMap<string, ReadonlyMap<number, string>>
  readonly checkpoints: readonly AuditCheckpoint[]
  readonly entries: number
  /** When it was made, as its closing line says. */
  readonly at?: string
  /** Why it is not what was exported: the first reason. */
  readonly fault?: string
}

/** A line is neither an entry nor a checkpoint nor a closing line. */
export class NotAnExport extends Error {}

const exportedEntry = z.object({ id: z.string(), prev: z.string(), hash: z.string() })

interface Copy extends ExportedPlace {
  readonly prev: string
  /** Covers every field of the line. */
  readonly digest: string
}

/** Throws NotAnExport. */
export async function readExport(
  lines: AsyncIterable<string>,
  signer: TextSigner,
): Promise<ReadExport> {
  const chains = new Map<string, Map<number, string>>()
  const checkpoints: AuditCheckpoint[] = []
  const sum = new ExportSum()
  const faults: string[] = []
  /** Gaps are faults only if nothing was left out on purpose, which the closing line says. */
  const gaps: string[] = []
  let entries = 0
  let closing: ClosingLine | undefined
  for await (const line of lines) {
    if (closing) faults.push('lines follow its closing line')
    const value = jsonOf(line)
    const ending = readClosingLine(value)
    if (ending) {
      closing = ending
      continue
    }
    const checkpoint = auditCheckpoint.safeParse(value).data
    const copy = checkpoint ? undefined : copyOf(value)
    if (checkpoint) checkpoints.push(checkpoint)
    else if (copy) {
      const before = sum.last(copy.client)
      faults.push(...orderFaults(copy, before))
      gaps.push(...gapsBefore(copy, before))
      const chain = chains.get(copy.client) ?? new Map<number, string>()
      chains.set(copy.client, chain.set(copy.n, copy.digest))
      entries++
    } else throw new NotAnExport(`has a line that is not an entry: ${line.slice(0, 60)}`)
    sum.add(line, copy)
  }
  if (!closing) faults.push('its closing line is missing, so its end was cut off')
  else {
    if (!closing.filtered) faults.push(...gaps)
    const unclosed = closingFault(closing, sum.facts(closing), signer)
    if (unclosed !== undefined) faults.push(unclosed)
  }
  const [fault] = faults
  return {
    ...{ chains, checkpoints, entries },
    ...(closing && { at: closing.at }),
    ...(fault !== undefined && { fault }),
  }
}

type Before = ReturnType<ExportSum['last']>

function orderFaults({ client, n, prev }: Copy, before: Before): readonly string[] {
  if (!before) return []
  if (n <= before.last) return [`entry ${n} of ${client} stands after entry ${before.last}`]
  const follows = n > before.last + 1 || prev === before.hash
  return follows ? [] : [`entry ${n} of ${client} does not follow entry ${n - 1}`]
}

function gapsBefore({ client, n }: Copy, before: Before): readonly string[] {
  const from = (before?.last ?? 0) + 1
  if (n <= from) return []
  return [
    n === from + 1
      ? `entry ${from} of ${client} is missing`
      : `entries ${from} to ${n - 1} of ${client} are missing`,
  ]
}

function copyOf(value: unknown): Copy | undefined {
  const { data } = exportedEntry.safeParse(value)
  const place = data && readAuditId(data.id)
  if (!data || !place) return undefined
  return { ...place, prev: data.prev, hash: data.hash, digest: digestOf(value) }
}

/** Undefined if the line is not JSON, which `readExport` reports as no entry. */
function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
