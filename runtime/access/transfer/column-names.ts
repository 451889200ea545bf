/**
 * The names of columns in tables that people export from spreadsheets, HubSpot and Pipedrive, in
 * English and German. Names are compared by `foldName`, so `E-Mail` is `email`.
 */
import type { AreaKey } from '../../../proto/access/areas/areas.ts'
import { commonFields, type AreaDefinition } from '../../../proto/access/areas/define-area.ts'

/** Lower-case letters and digits without accents: `Straße (privat)` is `strasseprivat`. */
export const foldName = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll(/[^a-z0-9]/g, '')

/** `full_name` is split, `amount.value` is in whole units; other names are fields or their parts. */
const namesOf: Readonly<Partial<Record<AreaKey, Readonly<Record<string, string>>>>> = {
  contacts: {
    first_name: 'givenname forename vorname',
    last_name: 'surname familyname nachname familienname',
    full_name: 'name fullname contactname displayname',
    email:
      'emailaddress mail emailadresse primaryemail emailwork emailhome emailother workemail ' +
      'email1value emailgeschaftlich emailprivat',
    phone:
      'phonenumber telephone tel telefon telefonnummer mobile mobilephone mobilephonenumber ' +
      'mobilnummer mobiltelefon handy phonework phonehome phonemobile phoneother workphone ' +
      'businessphone homephone primaryphone phone1value',
    company_name:
      'company organization organisation organizationname account accountname firma unternehmen ' +
      'associatedcompany primaryassociatedcompany',
    job_title: 'jobposition position funktion berufsbezeichnung',
    website: 'websiteurl webseite webpage homepage url',
    timezone: 'zeitzone',
    tags: 'tag label labels schlagworte',
    source: 'leadsource originalsource originaltrafficsource quelle',
    'address.line1': 'street streetaddress address1 addressline1 businessstreet strasse adresse',
    'address.line2': 'street2 address2 addressline2 adresszusatz',
    'address.city': 'city town businesscity ort stadt',
    'address.region': 'state stateregion region province businessstate bundesland',
    'address.postal_code': 'zip zipcode postalcode postcode businesspostalcode plz postleitzahl',
    'address.country': 'country countryregion businesscountryregion land',
  },
  opportunities: {
    name: 'dealname dealtitle title opportunityname titel',
    stage_id: 'stage dealstage stagename phase',
    pipeline_id: 'pipeline dealpipeline',
    status: 'dealstatus',
    'amount.value': 'amount value dealvalue dealamount betrag wert',
    'amount.currency': 'currency currencycode dealcurrency currencyofvalue wahrung',
    expected_close_on: 'closedate expectedclosedate dealclosedate abschlussdatum',
    lost_reason: 'closedlostreason reasonlost',
    source: 'leadsource quelle',
    tags: 'tag label labels schlagworte',
  },
  tasks: {
    title: 'subject tasktitle tasksubject taskname name titel betreff aufgabe',
    body: 'note notes description tasknotes beschreibung notizen',
    status: 'taskstatus done',
    priority: 'taskpriority prioritat',
    due_at: 'due duedate deadline fallig falligam',
  },
  'content-gaps': { search_volume: 'volume', difficulty: 'keyworddifficulty kd' },
  projects: { name: 'project projectname projekt', start_on: 'startdate', target_on: 'targetdate' },
  domains: { hostname: 'domain domainname host', expires_on: 'expires expirydate expirationdate' },
}

/** What Pipedrive writes before the names of a record's own columns. */
const prefixes: Readonly<Partial<Record<AreaKey, string>>> = {
  contacts: 'person',
  opportunities: 'deal',
  tasks: 'activity',
}

/** Returns the place that a column belongs to, or undefined for a column that is not known. */
export function columnPlaces({
  key,
  fieldNames,
}: AreaDefinition): (name: string) => string | undefined {
  const places = new Map<string, string>()
  for (const [place, others] of Object.entries(namesOf[key] ?? {})) {
    for (const one of others.split(' ')) places.set(one, place)
  }
  for (const name of fieldNames) places.set(foldName(name), name)
  const prefix = prefixes[key]
  return (name) => {
    // The common fields must be spelt exactly: `ID` is the number that another system gave.
    if (commonFields.some((one) => one === name) || fieldNames.includes(name)) return name
    const own = name.replace(/ *\([^)]*\)$/, '')
    const place = places.get(foldName(name)) ?? places.get(foldName(own))
    if (place !== undefined || prefix === undefined) return place
    const folded = foldName(own)
    return folded.startsWith(prefix) ? places.get(folded.slice(prefix.length)) : undefined
  }
}
