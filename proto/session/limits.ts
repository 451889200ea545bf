/** Sessions: limits, with their units in their names. */
export const sessionLimits = {
  tagsPerSession: 50,
  tagChars: 128,

  usedLinksPerSession: 100,

  domainChars: 255,
  /** Of those that its pages were at; beyond it, the one gone to longest ago is forgotten. */
  domainsShown: 50,
  /** Scheme, domain and port. */
  originChars: 280,

  profileNameChars: 100,
  profileDescriptionChars: 500,
  /** Less than a creation may take. */
  profileWaitSeconds: 90,

  // Logins with sites
  loginNameChars: 64,
  loginDescriptionChars: 500,
  /** Of a user name, a password or a field. */
  loginValueChars: 1_000,
  loginFields: 20,

  // Extensions
  extensionsPerSession: 10,
  extensionIdChars: 64,
  extensionNameChars: 255,

  // Set-up of a browser
  localeChars: 35,
  timeZoneChars: 64,
  userAgentChars: 512,
  permissionsPerSession: 100,
  headersPerSession: 32,
  headerNameChars: 128,
  headerValueChars: 2_048,
  blockedHosts: 1_000,
  blockedUrls: 200,
  urlPatternChars: 512,
  maskSelectors: 100,
  maskSelectorChars: 300,
  maskSites: 100,
  maskPatterns: 50,
  maskPatternChars: 300,
  /** Of what stands for a match. */
  maskChars: 50,
  /** CSS pixels; a window of Chromium with a frame cannot be narrower. */
  desktopWidthMin: 500,

  // Events
  /** `data:` URLs may have megabytes. */
  eventUrlChars: 500,
  eventTextChars: 200,
  /** In one answer, which has to fit into a message between hosts. */
  eventsPerPage: 500,

  // Storage states
  /** Of a name, a value or a path; Chromium keeps 4,096 bytes of a name with its value. */
  cookieChars: 4_096,
  /** Chromium keeps 3,300. */
  cookiesPerState: 3_300,
  originsPerState: 200,
  /** Chromium's quota of an origin. */
  localStorageChars: 5 * 1024 * 1024,
} as const
