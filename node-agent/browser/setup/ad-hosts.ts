/**
 * Hosts that serve advertisements, and hosts that follow people from site to site: the ones that pages
 * ask most, collected by hand in November 2026. Their subdomains are included.
 */

export const adHosts: readonly string[] = [
  // Google
  ...['doubleclick.net', 'googlesyndication.com', 'googleadservices.com', 'adservice.google.com'],
  ...['googletagservices.com', '2mdn.net', 'admob.com', 'adsense.com'],
  // Exchanges and networks
  ...['adnxs.com', 'adsrvr.org', 'adform.net', 'adroll.com', 'advertising.com', 'adtech.de'],
  ...['adcolony.com', 'adition.com', 'adtelligent.com', 'admixer.net', 'adsafeprotected.com'],
  ...['amazon-adsystem.com', 'appnexus.com', 'applovin.com', 'bidswitch.net', 'bidr.io'],
  ...['bluekai.com', 'buysellads.com', 'carbonads.net', 'carbonads.com', 'casalemedia.com'],
  ...['connatix.com', 'contextweb.com', 'criteo.com', 'criteo.net', 'districtm.io'],
  ...['emxdgt.com', 'exoclick.com', 'exponential.com', 'flashtalking.com', 'freewheel.tv'],
  ...['fwmrm.net', 'gumgum.com', 'improvedigital.com', 'indexww.com', 'infolinks.com'],
  ...['inmobi.com', 'innovid.com', 'ironsrc.com', 'juicyads.com', 'kargo.com', 'lijit.com'],
  ...['loopme.me', 'lkqd.net', 'media.net', 'mediavine.com', 'mgid.com', 'moatads.com'],
  ...['mopub.com', 'nativo.com', 'ntv.io', 'onetag-sys.com', 'openx.net', 'outbrain.com'],
  ...['outbrainimg.com', 'popads.net', 'popcash.net', 'postrelease.com', 'propellerads.com'],
  ...['pubmatic.com', 'pubnative.net', 'revcontent.com', 'rhythmone.com', 'richaudience.com'],
  ...['rubiconproject.com', 'seedtag.com', 'serving-sys.com', 'sharethrough.com'],
  ...['smaato.net', 'smartadserver.com', 'sonobi.com', 'sovrn.com', 'spotxchange.com'],
  ...[
    'springserve.com',
    'stackadapt.com',
    'stickyadstv.com',
    'taboola.com',
    'taboolasyndication.com',
  ],
  ...['teads.tv', 'themediagrid.com', 'tremorhub.com', 'triplelift.com', 'undertone.com'],
  ...['unrulymedia.com', 'vungle.com', 'yieldlab.net', 'yieldmo.com', 'yieldoptimizer.com'],
  ...['zedo.com', 'zemanta.com', 'zeotap.com', '33across.com', '3lift.com', 'ad-score.com'],
  ...['adblade.com', 'adgrx.com', 'adhigh.net', 'adkernel.com', 'adlooxtracking.com'],
  ...['adman.gr', 'adriver.ru', 'adspirit.de', 'adup-tech.com', 'an.yandex.ru', 'mc.yandex.ru'],
  ...['bannerflow.net', 'bounceexchange.com', 'brealtime.com', 'conversantmedia.com'],
  ...['dotomi.com', 'e-planning.net', 'everesttech.net', 'ezoic.net', 'iprom.net'],
  ...['justpremium.com', 'keywee.co', 'ligatus.com', 'mathtag.com', 'mediaforge.com'],
  ...['netmng.com', 'nexage.com', 'omnitagjs.com', 'plista.com', 'polyad.net', 'quantummetric.com'],
  ...['rtbhouse.com', 'creativecdn.com', 'servebom.com', 'simpli.fi', 'sitescout.com'],
  ...[
    'tapad.com',
    'tribalfusion.com',
    'turn.com',
    'valueclick.com',
    'viglink.com',
    'skimresources.com',
  ],
]

export const trackerHosts: readonly string[] = [
  // Analytics
  ...['google-analytics.com', 'googletagmanager.com', 'analytics.google.com'],
  ...['amplitude.com', 'appsflyer.com', 'adjust.com', 'branch.io', 'app.link', 'kochava.com'],
  ...['chartbeat.com', 'chartbeat.net', 'clicky.com', 'getclicky.com', 'crazyegg.com'],
  ...[
    'comscore.com',
    'scorecardresearch.com',
    'imrworldwide.com',
    'quantserve.com',
    'quantcast.com',
  ],
  ...['heap.io', 'heapanalytics.com', 'hotjar.com', 'hotjar.io', 'inspectlet.com'],
  ...['fullstory.com', 'logrocket.com', 'lr-ingest.io', 'luckyorange.com', 'mouseflow.com'],
  ...['clarity.ms', 'bat.bing.com', 'mixpanel.com', 'mxpnl.com', 'segment.com', 'segment.io'],
  ...['omtrdc.net', 'demdex.net', '2o7.net', 'adobedtm.com', 'parsely.com', 'parse.ly'],
  ...['piwik.pro', 'posthog.com', 'rudderlabs.com', 'smartlook.com'],
  ...[
    'statcounter.com',
    'stats.wp.com',
    'pixel.wp.com',
    'sumo.com',
    'woopra.com',
    'yandex-team.ru',
  ],
  ...['etracker.com', 'econda-monitor.de', 'ioam.de', 'webtrekk.net', 'wt-eu02.net', 'mapp.com'],
  ...['at-o.net', 'xiti.com', 'ati-host.net', 'gemius.pl', 'hit.gemius.pl', 'tns-counter.ru'],
  // Pixels of networks and shops
  ...['connect.facebook.net', 'pixel.facebook.com', 'analytics.tiktok.com', 'ads-twitter.com'],
  ...['analytics.twitter.com', 'ads.linkedin.com', 'px.ads.linkedin.com', 'snap.licdn.com'],
  ...['ct.pinterest.com', 'tr.snapchat.com', 'events.redditmedia.com'],
  ...['pixel.quora.com', 'vk-analytics.ru', 'top-fwz1.mail.ru', 'counter.yadro.ru'],
  // Identities and data
  ...['agkn.com', 'bombora.com', 'clearbit.com', 'crwdcntrl.net', 'eyeota.net', 'id5-sync.com'],
  ...['intentiq.com', 'krxd.net', 'leadfeeder.com', 'liadm.com', 'liveramp.com', 'lotame.com'],
  ...['narrative.io', 'nr-data.net', 'permutive.com', 'pippio.com', 'rlcdn.com'],
  ...['tealiumiq.com', 'tiqcdn.com', 'usabilla.com', 'visualwebsiteoptimizer.com', 'zoominfo.com'],
  ...[
    'hs-analytics.net',
    'hsadspixel.net',
    'pardot.com',
    'mktoresp.com',
    'marketo.net',
    'eloqua.com',
  ],
  ...['en25.com', '6sc.co', 'demandbase.com', 'company-target.com', 'ml314.com'],
]
