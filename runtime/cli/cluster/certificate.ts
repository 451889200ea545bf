/** A self-signed certificate of nats-server, which the hosts of one service trust. */
import { execFile } from 'node:child_process'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CommandFailed } from '../command.ts'
import { isMissingFile } from '../../lib/files/missing-file.ts'

const days = 3650

/** Writes `server.pem` and `server.key` into `dir`, with the program `openssl`. */
export async function makeCertificate(dir: string, host: string): Promise<void> {
  const name = `${isIP(host) ? 'IP' : 'DNS'}:${host}`
  const args = [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-days', String(days), '-subj', '/CN=Troupe NATS', '-addext', `subjectAltName=${name}`],
    ...['-keyout', join(dir, 'server.key'), '-out', join(dir, 'server.pem')],
  ]
  try {
    await promisify(execFile)('openssl', args)
  } catch (error) {
    throw new CommandFailed(
      isMissingFile(error)
        ? 'openssl is needed for the certificate: apt-get install openssl, or use --no-tls.'
        : `openssl failed to create the certificate: ${(error as Error).message}`,
      error,
    )
  }
}
