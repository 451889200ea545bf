/** A tenant's profiles: what sessions with `browser.profile` begin with and save. */
import { z } from 'zod'
import { defined } from '../../proto/defined.ts'
import { ServiceError } from '../../proto/errors.ts'
import { profileName } from '../../proto/session/profile.ts'
import type { ProfileRecords } from '../../runtime/profiles/profile-records.ts'
import { jsonRoute, type Route } from '../routing/route.ts'
import type { SessionService } from '../sessions/sessions.ts'
import {
  profileJson,
  profileListJson,
  profileOrder,
  profilePatch,
  savedProfileJson,
  toProfileJson,
} from './profile-json.ts'
import type { ProfileSaver } from './profile-saver.ts'

export interface ProfileRouteDeps {
  readonly profiles: ProfileRecords
  readonly saver: Pick<ProfileSaver, 'save'>
  readonly sessions: Pick<SessionService, 'usable'>
}

const ofProfile = z.object({ name: z.string() })
const oneProfile = z.object({ data: profileJson })
const success = z.object({ data: z.object({ status: z.literal('success') }) })
const succeeded = { data: { status: 'success' as const } }
const shared = { auth: 'key', scope: 'sessions' } as const

export function profileRoutes(deps: ProfileRouteDeps): readonly Route[] {
  return [readRoutes, createRoutes, changeRoutes, saveRoutes].flatMap((of) => of(deps))
}

function readRoutes({ profiles }: ProfileRouteDeps): readonly Route[] {
  return [
    jsonRoute({
      ...shared,
      method: 'GET',
      path: '/v1/profiles',
      summary: 'List your profiles.',
      description:
        'A profile keeps logins and other site data from one session to the next. Sorted by name, ' +
        'with size, versions, and the session that uses it.',
      response: profileListJson,
      async handler({ caller: { tenant } }) {
        const items = (await profiles.list(tenant)).map(toProfileJson)
        return { data: { count: items.length, items } }
      },
    }),
    jsonRoute({
      ...shared,
      method: 'GET',
      path: '/v1/profiles/{name}',
      summary: 'Get a profile, with the versions that are kept.',
      description: 'The last three versions are kept; see `restore` for going back to one.',
      params: ofProfile,
      response: oneProfile,
      async handler({ caller: { tenant }, params: { name } }) {
        return { data: toProfileJson(await profiles.get(tenant, name)) }
      },
    }),
  ]
}

function saveRoutes({ saver, sessions }: ProfileRouteDeps): readonly Route[] {
  const route = jsonRoute({
    ...shared,
    method: 'POST',
    path: '/v1/sessions/{session_id}/profile/save',
    audit: 'profile.save',
    summary: 'Save the profile of a session that goes on.',
    description:
      'Saves what the browser has now: logins, permissions and other site data. Without `name`, the ' +
      'profile that the session was created to save. It takes a second or more: local storage is read ' +
      'origin by origin.',
    params: z.object({ session_id: z.string() }),
    body: z.strictObject({ name: profileName.optional() }).optional(),
    response: savedProfileJson,
    async handler({ caller, params: { session_id: id }, body }) {
      const { options } = await sessions.usable(caller, id)
      const name = body?.name ?? (options.profile?.persist ? options.profile.name : undefined)
      if (name === undefined) {
        const text = 'name is required: the session was not created to save a profile.'
        throw new ServiceError('bad_request', text, { field: 'name' })
      }
      return {
        data: { status: 'success' as const, name, version: await saver.save(caller, id, { name }) },
      }
    },
  })
  return [route]
}

function createRoutes({ profiles, saver, sessions }: ProfileRouteDeps): readonly Route[] {
  return [
    jsonRoute({
      ...shared,
      method: 'POST',
      path: '/v1/profiles',
      audit: 'profile.create',
      summary: 'Create a profile, empty or with what a running session has.',
      description:
        'Not needed before a session with `browser.profile.persist`, which creates a profile that ' +
        'does not exist. With `session_id`, that session goes on, and its profile is saved as it is now.',
      makes: true,
      body: profileOrder,
      response: success,
      async handler({ caller, body: { name, description, session_id: id } }) {
        if (id === undefined) {
          await profiles.create(caller.tenant, name, description)
          return succeeded
        }
        await sessions.usable(caller, id)
        await saver.save(caller, id, { name, isNew: defined({ description }) })
        return succeeded
      },
    }),
    jsonRoute({
      ...shared,
      method: 'POST',
      path: '/v1/profiles/{name}/copy',
      audit: 'profile.create',
      summary: 'Copy a profile under a new name.',
      description:
        'The copy begins with the newest version, and from then on each is saved by itself.',
      params: ofProfile,
      body: z.strictObject({ name: profileName }),
      response: oneProfile,
      async handler({ caller: { tenant }, params: { name }, body }) {
        return { data: toProfileJson(await profiles.copy(tenant, name, body.name)) }
      },
    }),
  ]
}

function changeRoutes({ profiles }: ProfileRouteDeps): readonly Route[] {
  return [
    jsonRoute({
      ...shared,
      method: 'POST',
      path: '/v1/profiles/{name}/restore',
      audit: 'profile.restore',
      summary: 'Go back to an earlier version of a profile.',
      description:
        'Makes a copy of that version the newest one; the version that was newest is kept as well. ' +
        'Refused while a session will save the profile.',
      params: ofProfile,
      body: z.strictObject({ version: z.number().int().min(1) }),
      response: oneProfile,
      async handler({ caller: { tenant }, params: { name }, body: { version } }) {
        return { data: toProfileJson(await profiles.restore(tenant, name, version)) }
      },
    }),
    jsonRoute({
      ...shared,
      method: 'PATCH',
      path: '/v1/profiles/{name}',
      audit: 'profile.change',
      summary: 'Rename or describe a profile.',
      description:
        'All versions stay. Refused while a session will save the profile, or if there is one of that name.',
      example: { body: { name: 'shop-staging' } },
      params: ofProfile,
      body: profilePatch,
      response: oneProfile,
      async handler({ caller: { tenant }, params: { name }, body }) {
        const { name: to = name, description } = body
        if (to !== name) await profiles.rename(tenant, name, to)
        if (description !== undefined) await profiles.describe(tenant, to, description)
        return { data: toProfileJson(await profiles.get(tenant, to)) }
      },
    }),
    jsonRoute({
      ...shared,
      method: 'DELETE',
      path: '/v1/profiles/{name}',
      audit: 'profile.remove',
      summary: 'Delete a profile with all its versions.',
      description:
        'Its contents cannot be read any more from this moment, wherever copies are. Refused while ' +
        'a session will save it; sessions that only began with it go on.',
      params: ofProfile,
      response: success,
      async handler({ caller: { tenant }, params: { name } }) {
        await profiles.remove(tenant, name)
        return succeeded
      },
    }),
  ]
}
