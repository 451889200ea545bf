/**
 * The X authority file of a display. A program that can read this cookie may use the display, so
 * the file lies in the folder of its browser. It has libXau's format, with one entry for any host
 * and any display number.
 */
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'

const method = 'MIT-MAGIC-COOKIE-1'
const cookieBytes = 16
const anyHost = 0xffff

/** Writes the file for the X server's `-auth` and for the XAUTHORITY of its clients. */
export async function writeAuthority(path: string): Promise<void> {
  const fields = [Buffer.alloc(0), Buffer.alloc(0), Buffer.from(method), randomBytes(cookieBytes)]
  const entry = [number(anyHost), ...fields.flatMap((field) => [number(field.length), field])]
  await writeFile(path, Buffer.concat(entry), { mode: 0o600 })
}

/** Reads the cookie in the form that the package `x11` takes: bytes as Latin-1. */
export async function readAuthority(path: string): Promise<{ name: string; data: string }> {
  const bytes = await readFile(path)
  return { name: method, data: bytes.subarray(-cookieBytes).toString('latin1') }
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}
