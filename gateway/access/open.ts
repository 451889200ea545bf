/** Assembles scoped access for a gateway: the gate and the routes. */
import { RecordRoom } from './records/record-room.ts'
import type { TenantShares } from '../../runtime/store/tenant-shares.ts'
import type { Logger } from 'pino'
import type { Config } from '../../runtime/config/config.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import type { Directory } from '../../runtime/actor/directory.ts'
import { UniqueNames } from '../../runtime/access/people/unique-names.ts'
import { PasswordHasher } from '../../runtime/access/people/password-hasher.ts'
import type { Sealer } from '../../runtime/accounts/seal/seal.ts'
import type { OutputSchemas } from '../../runtime/lib/schemas/output-schemas.ts'
import type { Bucket, LogStore } from '../../runtime/store/store.ts'
import type { DeliveryStore } from '../../runtime/webhooks/delivery/store.ts'
import {
  webhookBaseUrl,
  webhookRules,
  type WebhookSettings,
} from '../../runtime/webhooks/settings.ts'
import type { ViewRecord } from '../../runtime/actor/views.ts'
import type { WatchedMap } from '../../runtime/store/watched-map.ts'
import { isAccessId, platformTenant } from '../../proto/access/ids.ts'
import { Cursors } from '../../runtime/access/records/index/cursor.ts'
import { recordReadOf, type ReadLog } from '../../runtime/access/audit/sources/reads.ts'
import { GrantUses } from '../../runtime/access/grant-uses.ts'
import { RecordIndexes } from '../../runtime/access/records/index/record-indexes.ts'
import { RecordStore } from '../../runtime/access/records/record-store.ts'
import type { AccessCounts, AuditMetrics } from '../service/metrics/service-figures.ts'
import type { Route } from '../routing/route.ts'
import type { HttpRequest } from '../server/http.ts'
import type { ServiceUrls } from '../routing/service-urls.ts'
import { clientAddressOf } from '../routing/client-address.ts'
import { AccessAuthenticator } from './gate/authenticate.ts'
import { Authorizer } from './gate/authorize.ts'
import { AccessChain } from './gate/chain.ts'
import { openGate, type AccessGate } from './gate/gate.ts'
import { Governance } from './governance/governance.ts'
import { Jobs } from './jobs/jobs.ts'
import type { WebTaskDeps } from './jobs/web-task.ts'
import { AccessNotes, type NoteSink } from './gate/notes.ts'
import { OtherClients } from './gate/other-clients.ts'
import { PasskeyAttempts } from './passkeys/attempts.ts'
import { Passkeys } from './passkeys/passkeys.ts'
import { relyingParty, type RelyingParty } from './passkeys/relying-party.ts'
import { PersonService } from './people/people.ts'
import type { AccessRates } from './gate/rates.ts'
import { ReportFormats } from './reports/formats/formats.ts'
import { PdfPrinter, type PdfPrinterDeps } from './reports/formats/pdf.ts'
import { readLetterhead, type LetterheadSettings } from './reports/letterhead.ts'
import { reportLook } from './reports/page/look.ts'
import { ReportHolders } from './reports/holders.ts'
import { Reports } from './reports/reports.ts'
import { References } from './records/references.ts'
import { refusalReporter, withRefusalAudit, type ReportRefusal } from './gate/refusals.ts'
import { accessCheckRoutes } from './governance/access-check-routes.ts'
import { auditRoutes, type AuditRouteDeps } from './audit/routes.ts'
import { changeRoutes } from './changes/routes.ts'
import { checkRoutes } from './changes/check-routes.ts'
import { clientRoutes } from './governance/client-routes.ts'
import { customRoutes } from './records/custom-routes.ts'
import { grantRoutes } from './governance/grant-routes.ts'
import { jobRoutes, type JobRouteDeps } from './jobs/routes.ts'
import { needRoutes } from './governance/need-routes.ts'
import { Records } from './records/records.ts'
import { passkeyRoutes } from './people/passkey-routes.ts'
import { LastOnes } from './people/last-ones.ts'
import { Approvers } from './people/approvers.ts'
import { SecondPerson } from './people/second-person.ts'
import { peopleRoutes } from './people/routes.ts'
import { recordRoutes, type RecordRouteDeps } from './records/routes.ts'
import { reportRoutes } from './reports/routes.ts'
import { requestRoutes } from './governance/request-routes.ts'
import { savedViewRoutes } from './people/saved-view-routes.ts'
import { scopeRoutes } from './governance/scope-routes.ts'
import { selfRoutes } from './people/self-routes.ts'
import { signInRoutes } from './people/sign-in-routes.ts'
import { webhookDeliveryRoutes } from './webhooks/delivery-routes.ts'
import { webhookEndpointRoutes } from './webhooks/endpoint-routes.ts'
import { workflowRunRoutes } from './workflow-runs/routes.ts'
import { WorkflowRuns } from './workflow-runs/runs.ts'

/** Dependencies that only scoped access has. */
export interface ScopedAccessDeps {
  /** The KV bucket `views`. */
  readonly viewMap: Pick<WatchedMap<ViewRecord>, 'onChange' | 'entries'>
  /** The KV buckets `names` and `records`. */
  readonly names: Bucket
  readonly records: Bucket
  /** The changes of the bucket `records`, under subjects `$KV.records.<key>`. */
  readonly recordChanges: Pick<LogStore, 'read'>
  /** The secret that signs cursors. */
  readonly cursorSecret: () => string
  readonly sealer: Sealer
  /** The log of webhook deliveries. */
  readonly deliveries: DeliveryStore
  readonly rates: AccessRates
  readonly notes: NoteSink
  /** Throws `audit_unavailable`. */
  readonly assertAudited: () => void
  readonly reads: Pick<ReadLog, 'add'>
  /** Read by the audit's routes and metrics. */
  readonly audit: AuditRouteDeps & AuditMetrics
  /** False after a lease's time without contact to the store. */
  readonly isFresh: () => boolean
}

export interface AccessDeps
  extends ScopedAccessDeps, Pick<WebTaskDeps, 'orders' | 'models'>, PdfPrinterDeps {
  readonly config: LetterheadSettings &
    WebhookSettings &
    Pick<
      Config,
      'ACCESS_SINGLE_OPERATOR' | 'ACCESS_SEPARATION' | 'PUBLIC_URL' | 'JOB_PRIVATE_HOSTS'
    >
  readonly directory: Pick<Directory, 'ask' | 'create'>
  readonly addresses: Pick<ServiceUrls, 'http'>
  readonly clock: Clock
  readonly log: Logger
  readonly shares: Pick<TenantShares, 'bytesOf'>
  /** Validates the input of a run against the schema of its action. */
  readonly schemas: Pick<OutputSchemas, 'fit'>
}

export interface ScopedAccess {
  readonly gate: AccessGate
  readonly routes: readonly Route[]
  readonly counts: AccessCounts
  /** For the portal's pages. */
  readonly services: AccessServices
  close(): void
}

/** The services that the portal uses in addition to the routes. */
export interface AccessServices {
  readonly chain: AccessChain
  readonly governance: Governance
  readonly approvers: Approvers
  readonly authenticator: AccessAuthenticator
  readonly authorizer: Authorizer
  readonly records: Records
  readonly rates: AccessRates
  readonly reads: Pick<ReadLog, 'add'>
  readonly tellRefusal: ReportRefusal
  /**
   * The relying party of passkeys at the request's address; undefined if passkeys are not possible
   * there.
   */
  readonly partyOf: (request: HttpRequest) => RelyingParty | undefined
  readonly addressOf: (request: HttpRequest) => string
}

export function openAccess(given: AccessDeps): ScopedAccess {
  const chain = new AccessChain(given.viewMap)
  const uses = new GrantUses({ ...given, onView: (view) => chain.learn('grant', view) })
  const deps = { ...given, reads: readsTold(given.reads, uses) }
  const parts = partsOf(deps, chain)
  const { indexes, notes, authorizer, governance, approvers, records } = parts
  const otherClients = new OtherClients({ ...deps, chain })
  const tellRefusal = refusalReporter({ chain, notes, otherClients })
  const authenticator = authenticatorOf(deps, parts)
  const routes = [...governanceRoutes(deps, parts), ...areaRoutes(deps, parts)]
  return {
    gate: openGate({ ...deps, chain, authenticator, notes, uses, addressOf: parts.addressOf }),
    counts: {
      grants: () => chain.list('grant').map(({ status }) => status),
      requests: () => chain.list('request').map(({ status }) => status),
    },
    close: () => indexes.stop(),
    routes: routes.map((route) => withRefusalAudit(route, tellRefusal)),
    services: {
      chain,
      authenticator,
      authorizer,
      tellRefusal,
      ...{ governance, approvers, records },
      rates: deps.rates,
      reads: deps.reads,
      partyOf: (request) => partyOf(deps, request),
      addressOf: parts.addressOf,
    },
  }
}

/** People use a grant by reading; uses of tokens are told by the gate. */
function readsTold(reads: AccessDeps['reads'], uses: GrantUses): AccessDeps['reads'] {
  return {
    add(read) {
      reads.add(read)
      const { grantId = '', tokenId } = read
      if (tokenId === undefined && isAccessId('grant', grantId)) uses.note({ grantId })
    },
  }
}

/** Made once, and shared by the gate, the routes and the portal. */
interface Parts {
  readonly chain: AccessChain
  readonly notes: AccessNotes
  readonly authorizer: Authorizer
  readonly governance: Governance
  readonly approvers: Approvers
  readonly store: RecordStore
  readonly indexes: RecordIndexes
  readonly room: RecordRoom
  readonly records: Records
  readonly cursors: Cursors
  readonly addressOf: (request: HttpRequest) => string
}

function partsOf(deps: AccessDeps, chain: AccessChain): Parts {
  const { clock, config, log } = deps
  const { ACCESS_SEPARATION: separation, ACCESS_SINGLE_OPERATOR: singleOperator } = config
  const store = new RecordStore(deps.records)
  const indexes = new RecordIndexes({ records: store, log, clock })
  const room = new RecordRoom({ ...deps, indexes })
  const cursors = new Cursors(deps.cursorSecret)
  return {
    ...{ chain, store, indexes, room, cursors },
    notes: new AccessNotes(deps.notes, clock),
    authorizer: new Authorizer(chain, clock),
    governance: new Governance({ ...deps, chain, singleOperator }),
    approvers: new Approvers({ chain, clock, separation, singleOperator }),
    records: openRecords(deps, { chain, store, indexes, room, cursors }),
    addressOf: (request) => clientAddressOf(request, config.PUBLIC_URL !== ''),
  }
}

function authenticatorOf(deps: AccessDeps, { chain, notes }: Parts): AccessAuthenticator {
  return new AccessAuthenticator({
    ...deps,
    chain,
    onFailed: (origin) => notes.authenticationFailed(origin, 'authentication_failed'),
  })
}

/** Routes of people and of the entities they decide on. */
function governanceRoutes(deps: AccessDeps, parts: Parts): readonly Route[] {
  const { chain, notes, authorizer, governance, approvers } = parts
  const passwords = new PasswordHasher()
  const passkeys = new Passkeys(new PasskeyAttempts(deps.sealer, deps.clock))
  const people = new PersonService({
    ...deps,
    chain,
    passwords,
    passkeys,
    onSignInFailed: (origin) => notes.authenticationFailed(origin, 'sign_in_failed'),
  })
  const names = new UniqueNames(deps.names, deps.clock)
  const references = new References(deps.directory)
  const secondPerson = new SecondPerson({ governance, chain, clock: deps.clock })
  const shared = { ...deps, governance, references, chain, notes, names, secondPerson, approvers }
  return [
    ...signInRoutes({ ...deps, people, passwords, governance, addressOf: parts.addressOf }),
    ...passkeyRoutes({
      ...{ ...deps, people, passkeys, governance, addressOf: parts.addressOf },
      partyOf: (request) => partyOf(deps, request),
    }),
    ...savedViewRoutes({ governance }),
    ...peopleRoutes({ ...shared, lastOnes: new LastOnes(shared) }),
    ...clientRoutes(shared),
    ...scopeRoutes(shared),
    ...needRoutes(shared),
    ...requestRoutes(shared),
    ...grantRoutes(shared),
    ...changeRoutes({ ...shared, authorizer }),
    ...webhookEndpointRoutes({ ...shared, webhookRules: webhookRules(deps.config) }),
    ...webhookDeliveryRoutes(shared),
    ...selfRoutes({ chain, authorizer }),
    ...accessCheckRoutes(shared),
    ...auditRoutes(deps.audit, notes),
  ]
}

const partyOf = ({ addresses, config }: AccessDeps, request: HttpRequest) =>
  relyingParty(addresses.http(request), config.PUBLIC_URL !== '')

const formatsOfReports = (deps: AccessDeps): ReportFormats =>
  new ReportFormats(new PdfPrinter(deps), {
    look: reportLook(readLetterhead(deps.config)),
    publicUrl: webhookBaseUrl(deps.config),
  })

/** Routes of the areas' records, and of jobs and reports made from them. */
function areaRoutes(deps: AccessDeps, parts: Parts): readonly Route[] {
  const { authorizer, governance, indexes, records, room, store, cursors } = parts
  const holders = new ReportHolders(parts.chain, authorizer)
  const onRead: RecordRouteDeps['onRead'] = (read, area, ids) =>
    deps.reads.add(recordReadOf(read, area, ids, deps.clock.now()))
  const jobs = new Jobs({
    ...{ ...deps, indexes, room, store, cursors },
    privateHosts: deps.config.JOB_PRIVATE_HOSTS,
  })
  const authorize: JobRouteDeps['authorize'] = (...asked) => authorizer.authorize(...asked)
  const runs = new WorkflowRuns({ ...deps, ...parts, governance, store })
  return [
    ...jobRoutes({ jobs, authorize }),
    ...workflowRunRoutes({ runs, authorize }),
    ...checkRoutes({ ...deps, governance, store }),
    ...customRoutes({ ...parts, records, onRead }),
    ...reportRoutes({
      ...{ holders, governance, formats: formatsOfReports(deps) },
      reports: new Reports({ ...deps, ...parts, records, governance, holders, store, cursors }),
      onRead: (access, id) => onRead(access, 'reports', [id]),
    }),
    ...recordRoutes({
      ...{ records, onRead },
      authorize: (call, area, action) =>
        area === 'reports' ? holders.reader(call) : authorizer.authorize(call.caller, area, action),
    }),
  ]
}

function openRecords(
  deps: AccessDeps,
  { chain, ...parts }: Pick<Parts, 'chain' | 'store' | 'indexes' | 'room' | 'cursors'>,
): Records {
  return new Records({
    recordChanges: deps.recordChanges,
    ...parts,
    isPersonOf: (client, id) => {
      const person = chain.get('person', id)
      return person !== undefined && [client, platformTenant].includes(person.tenant)
    },
    now: () => deps.clock.now(),
  })
}
