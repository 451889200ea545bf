/** Narrowing a list to one client, for staff; members see only their own. */
import { SelectField } from '../../html/fields.tsx'
import type { Visit } from '../visit.ts'

/** The id of the client that a list is narrowed to. */
export const clientAsked = (visit: Visit): string | undefined =>
  visit.isStaff ? visit.asked('client') : undefined

export const ClientFilter = ({ visit }: { visit: Visit }) =>
  visit.isStaff ? (
    <SelectField
      {...{ name: 'client', label: 'Client', value: clientAsked(visit) ?? '' }}
      choices={[
        { value: '', label: 'Any' },
        ...visit.list('client').map(({ id, name }) => ({ value: id, label: name })),
      ]}
    />
  ) : (
    <></>
  )
