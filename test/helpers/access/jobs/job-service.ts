/**
 * A whole service and the routes of jobs for one client: what the gateway has, without having to
 * request a token first.
 */
import { noAccess } from '../../../../gateway/access/gate/gate.ts'
import { pino } from 'pino'
import type { Test } from 'tap'
import { permissionFor, type GrantedAccess } from '../../../../gateway/access/gate/access.ts'
import type { AccessCaller } from '../../../../gateway/routing/auth/access-caller.ts'
import { insufficientScope } from '../../../../gateway/access/gate/authorize.ts'
import { Jobs } from '../../../../gateway/access/jobs/jobs.ts'
import { jobRoutes } from '../../../../gateway/access/jobs/routes.ts'
import { TaskOrders } from '../../../../gateway/tasks/orders.ts'
import { areaKeys, type AreaAction, type AreaKey } from '../../../../proto/access/areas/areas.ts'
import { newAccessId, type ClientId } from '../../../../proto/access/ids.ts'
import type { Permission } from '../../../../proto/access/permissions.ts'
import type { RecordFields } from '../../../../proto/access/areas/define-area.ts'
import { isRecordId, newRecordId } from '../../../../proto/access/areas/prefixes.ts'
import { systemAuthor } from '../../../../proto/access/author.ts'
import { buckets } from '../../../../proto/subjects.ts'
import { createdRecord } from '../../../../runtime/access/records/change.ts'
import { Cursors } from '../../../../runtime/access/records/index/cursor.ts'
import { RecordIndexes } from '../../../../runtime/access/records/index/record-indexes.ts'
import { RecordStore } from '../../../../runtime/access/records/record-store.ts'
import { systemClock } from '../../../../runtime/lib/clock.ts'
import { loadConfig } from '../../../../runtime/config/config.ts'
import { openCredentials } from '../../../../runtime/accounts/credentials/open.ts'
import { OutputSchemas } from '../../../../runtime/lib/schemas/output-schemas.ts'
import { openSealer } from '../../../../runtime/accounts/seal/seal.ts'
import { openSiteLogins } from '../../../../runtime/site-logins/open.ts'
import { openInsider, type Insider } from '../../service/insider.ts'
import { serveRoutes, type Heard, type Say } from '../../gateway/own-routes.ts'
import { startService, type Service } from '../../service/service.ts'
import { until } from '../../lib/until.ts'

export interface JobService {
  readonly service: Service
  readonly insider: Insider
  readonly clientId: ClientId
  readonly records: RecordStore
  readonly say: Say
  /** Sends JSON in the client's name. */
  readonly post: (
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Heard>
  /** The record's fields once `holds` is true of them. */
  readonly waitFor: (
    id: string,
    holds: (fields: RecordFields) => boolean,
    withinMs?: number,
  ) => Promise<RecordFields>
  readonly addRecord: (area: AreaKey, fields: RecordFields) => Promise<string>
}

export interface JobServiceOptions {
  readonly permissions: readonly Permission[]
  readonly privateHosts: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export async function startJobService(
  t: Test,
  { permissions, privateHosts, env }: JobServiceOptions,
): Promise<JobService> {
  const service = await startService({
    env: { JOB_PRIVATE_HOSTS: privateHosts.join(','), ...env },
  })
  t.teardown(() => service.stop())
  const insider = await openInsider(service.dataDir)
  t.teardown(() => insider.close())
  const clientId = newAccessId('client')
  const records = new RecordStore(insider.store.bucket(buckets.records))
  const indexes = new RecordIndexes({ records, log: pino({ level: 'silent' }) })
  const room = { admit: () => undefined }
  t.teardown(() => indexes.stop())
  const cursors = new Cursors(() => 'cursors')
  const config = loadConfig({ ...env, DATA_DIR: service.dataDir })
  const sealer = openSealer(config)
  const { accounts } = openCredentials({ store: insider.store, sealer, clock: systemClock, config })
  const schemas = new OutputSchemas()
  t.teardown(() => schemas.close())
  const membership = { hosts: () => [] }
  const jobs = new Jobs({
    room,
    ...{ store: records, indexes, cursors, privateHosts, clock: systemClock },
    directory: insider.directory,
    models: accounts,
    orders: new TaskOrders({
      ...{ access: accounts, sealer, membership, schemas, config },
      ...openSiteLogins({ store: insider.store, sealer, clock: systemClock, config }),
    }),
  })
  const access: GrantedAccess = {
    ...{ clientId, permissions },
    author: { kind: 'integration', id: newAccessId('grant') },
    grantId: newAccessId('grant'),
  }
  const authorize = (_: AccessCaller, area: AreaKey, action: AreaAction): GrantedAccess => {
    if (permissionFor(access, area, action)) return access
    throw insufficientScope(area, action)
  }
  const caller = { keyId: 'tok_test', requestId: 'req_test' } as AccessCaller
  const gate = { ...noAccess, authenticate: async () => caller }
  const { say } = await serveRoutes(t, jobRoutes({ jobs, authorize }), { access: gate })
  const post: JobService['post'] = (path, body, headers) =>
    body === undefined
      ? say('POST', path, { headers: { ...headers } })
      : say('POST', path, {
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
        })
  const fieldsOf = async (id: string) => {
    const area = areaKeys.find((key) => isRecordId(key, id))
    return area && (await records.get(clientId, area, id))?.record.fields
  }
  return {
    ...{ service, insider, clientId, records, say, post },
    waitFor: (id, holds, withinMs = 120_000) =>
      until(
        `the record of ${id}`,
        async () => {
          const fields = await fieldsOf(id)
          return fields && holds(fields) ? fields : undefined
        },
        withinMs,
      ),
    async addRecord(area, fields) {
      const id = newRecordId(area)
      const order = { client: clientId, area, id, fields, action: 'import' } as const
      await records.create(createdRecord(order, { by: systemAuthor('test') }, Date.now()))
      return id
    },
  }
}

export const isOver = ({ status }: RecordFields): boolean =>
  ['completed', 'partial', 'failed', 'cancelled'].includes(String(status))
