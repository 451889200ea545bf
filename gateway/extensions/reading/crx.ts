/**
 * The header of a CRX3 file, which is a ZIP with a signature before it. The format is Chromium's
 * `components/crx_file/crx3.proto`; of its protocol buffers only fields with bytes are needed.
 */
import { createHash, createPublicKey, verify } from 'node:crypto'
import { ServiceError } from '../../../proto/errors.ts'

export interface CrxContent {
  readonly zip: Buffer
  /** The public key that its id follows from. Absent for a plain ZIP. */
  readonly key?: Buffer
}

const magic = 'Cr24'
const headerAt = 12
/** Numbers of fields. */
const [rsaProof, ecdsaProof, signedData] = [2, 3, 10_000]
const [proofKey, proofSignature] = [1, 2]
const signedId = 1
const signedPrefix = Buffer.from('CRX3 SignedData\0')
const idBytes = 16

/** A plain ZIP passes as it is. Throws `bad_request` for a CRX that is damaged or of version 2. */
export function readCrx(file: Buffer): CrxContent {
  if (file.subarray(0, 4).toString('latin1') !== magic) return { zip: file }
  if (file.length < headerAt) throw damagedCrx()
  const version = file.readUInt32LE(4)
  if (version !== 3) throw badCrx(`has version ${version}; Chromium reads version 3 only`)
  const zipAt = headerAt + file.readUInt32LE(8)
  if (zipAt >= file.length) throw damagedCrx()
  const zip = file.subarray(zipAt)
  return { zip, key: signerOf(file.subarray(headerAt, zipAt), zip) }
}

/** The key of the proof for the id that the file states. */
function signerOf(header: Buffer, zip: Buffer): Buffer {
  const fields = fieldsOf(header)
  const [signed] = fields.get(signedData) ?? []
  const [id] = (signed && fieldsOf(signed).get(signedId)) ?? []
  if (!signed || id?.length !== idBytes) throw damagedCrx()
  const length = Buffer.alloc(4)
  length.writeUInt32LE(signed.length)
  const message = Buffer.concat([signedPrefix, length, signed, zip])
  const proofs = [rsaProof, ecdsaProof].flatMap((number) => fields.get(number!) ?? [])
  for (const proof of proofs) {
    const parts = fieldsOf(proof)
    const [key] = parts.get(proofKey!) ?? []
    const [signature] = parts.get(proofSignature!) ?? []
    if (!key || !signature || !idOfKey(key).equals(id)) continue
    if (!isSigned(message, key, signature)) throw badCrx('was changed after it was signed')
    return key
  }
  throw badCrx('is not signed with the key that its id follows from')
}

/** The first half of the SHA-256 of a public key. */
export const idOfKey = (key: Uint8Array): Buffer =>
  createHash('sha256').update(key).digest().subarray(0, idBytes)

function isSigned(message: Buffer, der: Buffer, signature: Buffer): boolean {
  try {
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    return verify('sha256', message, key, signature)
  } catch {
    // It is no key.
    return false
  }
}

/** The fields with bytes of a protocol buffer, by number. */
function fieldsOf(bytes: Buffer): Map<number, Buffer[]> {
  const fields = new Map<number, Buffer[]>()
  let at = 0
  const number = () => {
    let value = 0
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes[at++]
      if (byte === undefined || shift > 128 ** 4) throw damagedCrx()
      value += (byte & 127) * shift
      if (byte < 128) return value
    }
  }
  while (at < bytes.length) {
    const tag = number()
    const isBytes = tag % 8 === 2
    if (!isBytes) throw damagedCrx()
    const end = number() + at
    if (end > bytes.length) throw damagedCrx()
    const name = Math.floor(tag / 8)
    fields.set(name, [...(fields.get(name) ?? []), bytes.subarray(at, end)])
    at = end
  }
  return fields
}

const damagedCrx = () => badCrx('is damaged')
const badCrx = (what: string) => new ServiceError('bad_request', `The CRX file ${what}.`)
