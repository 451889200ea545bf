/**
 * Every NATS subject and KV key of the service is built here, so that permissions can be derived
 * from one file.
 */
import type { Incarnation } from './ids.ts'

const root = 'troupe.v1'

export const subjects = {
  /** Request: the mailbox of one live actor, served by the cell that owns it. */
  mailbox: (kind: string, id: string) => `${root}.act.${kind}.${id}`,
  mailboxAll: `${root}.act.>`,
  /** Request, queue group: ask any actor host to make this actor live. */
  place: (kind: string) => `${root}.place.${kind}`,
  placeAll: `${root}.place.>`,
  /** Request: ask one actor host to take an actor. */
  adopt: (incarnation: Incarnation) => `${root}.adopt.${incarnation}`,
  adoptAll: `${root}.adopt.>`,
  /** Request: a verb of one node agent. */
  node: (nodeId: string, verb: string) => `${root}.node.${nodeId}.${verb}`,
  nodeAll: (nodeId: string) => `${root}.node.${nodeId}.*`,
  /** The verbs of all node agents. */
  verbAll: `${root}.node.>`,
  /** Request: the number of viewers of a session through one gateway. */
  viewers: (incarnation: Incarnation) => `${root}.viewers.${incarnation}`,
  viewersAll: `${root}.viewers.>`,
  /** Request: calls of a task's agent, to the process that runs the task. */
  agent: (taskId: string, epoch: number) => `${root}.agent.${taskId}.${epoch}`,
  agentAll: `${root}.agent.>`,
  /** Request, queue group: reports of node agents about their browsers, to any actor host. */
  agentReports: `${root}.report`,
  /** Request, queue group: a verb about the blobs of one folder, see `session/blob.ts`. */
  blob: (store: string, verb: string) => `${root}.blob.${store}.${verb}`,
  blobsOf: (store: string) => `${root}.blob.${store}.*`,
  blobAll: `${root}.blob.>`,
  /** Request, queue group: a save of a session's profile while it runs, to any actor host. */
  profileSaves: `${root}.profile-save`,
  /** Request, queue group: a place for the files of an extension, in the folder of any actor host. */
  extensionPlaces: `${root}.extension-place`,
  /** Request, queue group: values for a login form that an agent has found, from any actor host. */
  loginFills: `${root}.login-fill`,
  /** Stream LOG: the history of one actor. */
  log: (kind: string, id: string) => `${root}.log.${kind}.${id}`,
  logAll: `${root}.log.>`,
  /** The histories of all actors of one kind. */
  logsOf: (kind: string) => `${root}.log.${kind}.*`,
  /** Public, stream STEPS. */
  taskStep: (taskId: string) => `${root}.pub.task.${taskId}.step`,
  /** Public, stream STEPS. */
  taskState: (taskId: string) => `${root}.pub.task.${taskId}.state`,
  /** The states of all tasks. */
  taskStates: `${root}.pub.task.*.state`,
  /** Steps and states of one task. */
  taskRecords: (taskId: string) => `${root}.pub.task.${taskId}.*`,
  /** Stream PICTURES: a screenshot of the page at the time of a step's decision. */
  taskPicture: (taskId: string, step: number) => `${root}.picture.task.${taskId}.${step}`,
  taskPictures: (taskId: string) => `${root}.picture.task.${taskId}.*`,
  picturesAll: `${root}.picture.>`,
  publicAll: `${root}.pub.>`,
  publicTasks: `${root}.pub.task.>`,
  /** Stream AUDIT: the chain of one client, or of `platform`. */
  audit: (client: string) => `${root}.audit.${client}`,
  auditAll: `${root}.audit.>`,
  /** Stream CHECKPOINTS: signed heads of the chain. */
  checkpoint: (client: string) => `${root}.checkpoint.${client}`,
  checkpointsAll: `${root}.checkpoint.>`,
  /** Stream NOTES: events that the audit needs and no actor's log contains. */
  note: (client: string) => `${root}.note.${client}`,
  notesAll: `${root}.note.>`,
  /** Stream ACCESS: who read which records. */
  reads: (client: string) => `${root}.read.${client}`,
  readsAll: `${root}.read.>`,
  /** Stream ARCHIVE: what has ended of one kind and tenant, see `runtime/actor/archive`. */
  archive: (kind: string, tenant: string) => `${root}.archive.${kind}.${tenant}`,
  archiveAll: `${root}.archive.>`,
  /** The kind and the tenant of a subject of the stream ARCHIVE. */
  archived: (subject: string) => subject.split('.').slice(-2) as [kind: string, tenant: string],
  /** Stream SERVICE_AUDIT: what was done with sessions and keys of one tenant. Public, JSON. */
  serviceAudit: (tenant: string) => `${root}.service-audit.${tenant}`,
  /** Stream SERVICE_AUDIT: refusals and failures, which a caller can cause without limit. */
  serviceRefusals: (tenant: string) => `${root}.service-audit.${tenant}.refused`,
  serviceAuditAll: `${root}.service-audit.>`,
  /** The subject on which a bucket's stream republishes each stored change, for watchers. */
  bucketChanges: (bucket: string) => `${root}.kv.${bucket}.>`,
} as const

export const placeQueue = 'place'
export const blobQueue = 'blobs'

export const streams = {
  log: 'LOG',
  archive: 'ARCHIVE',
  steps: 'STEPS',
  pictures: 'PICTURES',
  audit: 'AUDIT',
  checkpoints: 'CHECKPOINTS',
  notes: 'NOTES',
  reads: 'ACCESS',
  serviceAudit: 'SERVICE_AUDIT',
} as const
export const buckets = {
  hosts: 'hosts',
  owners: 'owners',
  keys: 'keys',
  views: 'views',
  credentials: 'credentials',
  logins: 'logins',
  names: 'names',
  profiles: 'profiles',
  siteLogins: 'siteLogins',
  audit: 'audit',
  idempotency: 'idempotency',
  records: 'records',
  deliveries: 'deliveries',
  extensions: 'extensions',
} as const

export const ownerKey = (kind: string, id: string) => `${kind}.${id}`
export const viewKey = (kind: string, tenant: string, id: string) => `${kind}.${tenant}.${id}`
