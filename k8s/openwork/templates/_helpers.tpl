{{/* The workloads of this release: those of files/workloads.yaml whose source is asked, each with what the values say of it. */}}
{{- define "openwork.workloads" -}}
{{- $found := list -}}
{{- range (.Files.Get "files/workloads.yaml" | fromYamlArray) -}}
{{- if or (not .route) (has .route $.Values.sources) -}}
{{- $own := get $.Values.workloads .name | default dict -}}
{{- $floor := ternary $.Values.defaults.everyAnswerMinimum nil .everyAnswer -}}
{{- $maximum := coalesce $own.maximum $.Values.defaults.maximum .maximum | int -}}
{{- if and (not $own.maximum) .maximum -}}{{- $maximum = min $maximum (int .maximum) -}}{{- end -}}
{{- $minimum := coalesce $own.minimum $.Values.defaults.minimum $floor .minimum | int -}}
{{- if and (not $own.minimum) (not $.Values.defaults.minimum) -}}{{- $minimum = max $minimum (int .minimum) -}}{{- end -}}
{{- $more := dict "minimum" $minimum "maximum" (max $minimum $maximum) "own" $own -}}
{{- $found = append $found (merge $more .) -}}
{{- end -}}
{{- end -}}
{{- toYaml $found -}}
{{- end -}}

{{/* Known workloads by name: a value for one that is not there would be ignored without a word. */}}
{{- define "openwork.check" -}}
{{- $names := list -}}
{{- $routes := list -}}
{{- range (.Files.Get "files/workloads.yaml" | fromYamlArray) -}}
{{- $names = append $names .name -}}
{{- if .route -}}{{- $routes = append $routes .route -}}{{- end -}}
{{- end -}}
{{- range $name, $_ := .Values.workloads -}}
{{- if not (has $name $names) -}}{{- fail (printf "workloads.%s: there is no such workload; there are %s" $name (join ", " $names)) -}}{{- end -}}
{{- end -}}
{{- range .Values.sources -}}
{{- if not (has . $routes) -}}{{- fail (printf "sources: %s is no source; there are %s" . (join ", " $routes)) -}}{{- end -}}
{{- end -}}
{{- if not .Values.image.registry -}}
{{- fail "image.registry must say where your images are, e.g. registry.example.org/openwork: this project publishes none (make images builds them)" -}}
{{- end -}}
{{- if and (or .Values.api.ingress.enabled .Values.api.gateway.enabled) (not .Values.api.host) -}}
{{- fail "api.host must say under which name the web app is reached: a request for any other is refused" -}}
{{- end -}}
{{- if and (eq .Values.model.provider "openai") (not (and .Values.model.baseUrl .Values.model.fast)) -}}
{{- fail "model.provider openai needs model.baseUrl (e.g. http://vllm.models.svc.cluster.local:8000/v1) and model.fast" -}}
{{- end -}}
{{- if and .Values.triton.enabled (not (regexMatch "(?m)^[0-9a-f]{64} " .Values.triton.weights)) -}}
{{- fail "triton.weights lists no file: SHA-256, path, https address, a line each (docs/deployment-kubernetes.md, The cross-encoder); give the list with --set-file triton.weights=weights.txt, or set triton.enabled=false" -}}
{{- end -}}
{{- end -}}

{{/* (dict "root" $ "name" "query"): registry/query:tag, or by its digest. */}}
{{- define "openwork.image" -}}
{{- $digest := get .root.Values.image.digests .name -}}
{{- $name := printf "%s/%s" (trimSuffix "/" .root.Values.image.registry) .name -}}
{{- if $digest -}}{{ printf "%s@%s" $name $digest }}{{- else -}}{{ printf "%s:%s" $name (.root.Values.image.tag | default .root.Chart.AppVersion) }}{{- end -}}
{{- end -}}

{{- define "openwork.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* Of every object. */}}
{{- define "openwork.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
app.kubernetes.io/part-of: openwork
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
{{- end -}}

{{/* (dict "root" $ "workload" .): policies select by these, never by a list of names. */}}
{{- define "openwork.workloadLabels" -}}
{{- $internet := has "internet" .workload.reaches -}}
{{- $model := and (has "model" .workload.reaches) (ne .root.Values.model.provider "none") -}}
{{- if and $model (not .root.Values.model.inCluster) -}}{{- $internet = true -}}{{- end -}}
{{- if and .workload.asker .root.Values.api.reachesInternet -}}{{- $internet = true -}}{{- end -}}
app.kubernetes.io/name: {{ .workload.name }}
app.kubernetes.io/component: {{ .workload.service }}
openwork.dev/bus: client
{{- if $internet }}
openwork.dev/reaches-internet: "true"
{{- end }}
{{- if has "triton" .workload.reaches }}
openwork.dev/reaches-triton: "true"
{{- end }}
{{- if $model }}
openwork.dev/asks-model: "true"
{{- end }}
{{- if .workload.asker }}
openwork.dev/serves: http
{{- end }}
{{- if .workload.everyAnswer }}
openwork.dev/every-answer: "true"
{{- end }}
{{- with .workload.own.labels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Pods are `restricted`. */}}
{{- define "openwork.podSecurity" -}}
runAsNonRoot: true
seccompProfile: {type: RuntimeDefault}
{{- end -}}
{{- define "openwork.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
capabilities: {drop: [ALL]}
seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{/* (dict "user" "query"): how a pod logs in. */}}
{{- define "openwork.login" -}}
- {name: OPENWORK_NATS_USER, value: {{ .user }}}
- name: OPENWORK_NATS_PASSWORD
  valueFrom: {secretKeyRef: {name: openwork-nats-{{ .user }}, key: password}}
{{- end -}}

{{/* The authority of NATS' certificate, and never the key. */}}
{{- define "openwork.caVolume" -}}
{{- with .Values.nats.caSecret }}
- name: nats-ca
  secret:
    secretName: {{ . }}
    items: [{key: ca.crt, path: ca.crt}]
{{- end }}
{{- end -}}
{{- define "openwork.caMount" -}}
{{- if .Values.nats.caSecret }}
- {name: nats-ca, mountPath: /etc/openwork/tls, readOnly: true}
{{- end }}
{{- end -}}

{{/* The settings that every pod reads, as the data of a ConfigMap. */}}
{{- define "openwork.settings" -}}
{{- $data := dict
  "OPENWORK_NATS_URL" .Values.nats.url
  "OPENWORK_SOURCES" (join "," .Values.sources)
  "OPENWORK_GAP_SOURCES" (join "," .Values.gapSources)
  "OPENWORK_GRACEFUL_TIMEOUT_S" "100"
  "OPENWORK_LOG_FORMAT" "json"
  "OPENWORK_REPLICAS" (.Values.nats.replicas | toString)
  "OPENWORK_STORE_GB" (.Values.nats.storeGigabytes | toString) -}}
{{- if .Values.nats.caSecret -}}{{- $_ := set $data "OPENWORK_NATS_CA_FILE" "/etc/openwork/tls/ca.crt" -}}{{- end -}}
{{- if .Values.tracing.endpoint -}}
{{- $_ := set $data "OPENWORK_OTLP_ENDPOINT" .Values.tracing.endpoint -}}
{{- $_ := set $data "OPENWORK_TRACE_CONTENT" (.Values.tracing.content | toString) -}}
{{- end -}}
{{- if ne .Values.model.provider "none" -}}
{{- $_ := set $data "OPENWORK_MODEL_STRUCTURED" .Values.model.structured -}}
{{- range $key, $name := dict "baseUrl" "BASE_URL" "fast" "FAST" "smart" "SMART" "prices" "PRICES" -}}
{{- with get $.Values.model $key -}}{{- $_ := set $data (printf "OPENWORK_MODEL_%s" $name) . -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- with .Values.contactEmail -}}{{- $_ := set $data "OPENWORK_CONTACT_EMAIL" . -}}{{- end -}}
{{- with .Values.searxng.url -}}{{- $_ := set $data "OPENWORK_SEARXNG_URL" . -}}{{- end -}}
{{- if .Values.triton.enabled -}}{{- $_ := set $data "OPENWORK_TRITON_URL" "triton:8001" -}}{{- end -}}
{{- range $name, $value := .Values.settings -}}{{- $_ := set $data $name ($value | toString) -}}{{- end -}}
{{- toYaml $data -}}
{{- end -}}

{{/* (dict "root" $ "workload" .): the variables of one workload beside the settings of all; values of its own come last and win. */}}
{{- define "openwork.environment" -}}
{{- $made := dict -}}
{{- if .workload.asker -}}
{{- with .root.Values.api.host -}}
{{- $_ := set $made "OPENWORK_API_NAMES" . -}}
{{/* Requests come from the proxy alone (networkpolicies.yaml): it says from which address, and that it was https. */}}
{{- $_ := set $made "OPENWORK_API_PROXIES" "10.0.0.0/8,100.64.0.0/10,172.16.0.0/12,192.168.0.0/16,fc00::/7" -}}
{{- end -}}
{{- with .root.Values.tracing.url -}}{{- $_ := set $made "OPENWORK_API_TRACES_URL" . -}}{{- end -}}
{{- end -}}
{{- $model := and (has "model" .workload.reaches) (ne .root.Values.model.provider "none") -}}
{{- if $model -}}{{- $_ := set $made "OPENWORK_MODEL_PROVIDER" .root.Values.model.provider -}}{{- end -}}
{{- $given := merge (dict) (.workload.own.environment | default dict) (.workload.asker | ternary .root.Values.api.settings (dict)) -}}
{{- $plain := merge (dict) $given $made (.workload.environment | default dict) -}}
{{- $kept := list "OPENWORK_NATS_USER" "OPENWORK_NATS_PASSWORD" "OPENWORK_OTLP_HEADERS" -}}
{{- range $name := $kept -}}{{- if hasKey $plain $name -}}{{- fail (printf "workloads.%s.environment: %s comes from a Secret and from who the workload is" $.workload.name $name) -}}{{- end -}}{{- end -}}
{{- include "openwork.login" (dict "user" .workload.user) }}
- name: OPENWORK_OTLP_HEADERS
  valueFrom: {secretKeyRef: {name: {{ .root.Values.tracing.headersSecret }}, key: headers, optional: true}}
{{- $secret := .workload.asker | ternary (printf "openwork-%s" .workload.name) "openwork-source-keys" }}
{{- range .workload.keys }}
- name: OPENWORK_{{ upper . }}
  valueFrom: {secretKeyRef: {name: {{ $secret }}, key: {{ . }}, optional: true}}
{{- end }}
{{- if $model }}
{{- range list "gemini_api_key" "model_api_key" }}
- name: OPENWORK_{{ upper . }}
  valueFrom: {secretKeyRef: {name: {{ $.root.Values.model.secret }}, key: {{ . }}, optional: {{ or (ne . "gemini_api_key") (ne $.root.Values.model.provider "gemini") }}}}
{{- end }}
{{- end }}
{{- range $name, $value := $plain }}
- {name: {{ $name }}, value: {{ $value | toString | quote }}}
{{- end }}
{{- end -}}

{{/* The pod that makes streams and consumers. */}}
{{- define "openwork.topologyPod" -}}
metadata:
  labels:
    app.kubernetes.io/part-of: openwork
    app.kubernetes.io/name: topology
    app.kubernetes.io/component: topology
    openwork.dev/bus: client
  annotations:
    openwork.dev/settings: {{ include "openwork.settings" . | sha256sum }}
spec:
  serviceAccountName: topology
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- include "openwork.pullSecrets" . | nindent 2 }}
  restartPolicy: OnFailure
  securityContext:
    {{- include "openwork.podSecurity" . | nindent 4 }}
  containers:
    - name: service
      image: {{ include "openwork.image" (dict "root" . "name" "topology") }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      envFrom:
        - configMapRef: {name: openwork-settings}
      env:
        {{- include "openwork.login" (dict "user" "topology") | nindent 8 }}
      resources:
        requests: {cpu: 100m, memory: 96Mi}
        limits: {cpu: "1", memory: 192Mi}
      securityContext:
        {{- include "openwork.containerSecurity" . | nindent 8 }}
      volumeMounts:
        - {name: tmp, mountPath: /tmp}
        {{- include "openwork.caMount" . | nindent 8 }}
  volumes:
    - {name: tmp, emptyDir: {sizeLimit: 16Mi}}
    {{- include "openwork.caVolume" . | nindent 4 }}
{{- end -}}

{{/* (dict "name" .. "namespace" .. "from" labels "to" {namespace, pod, port}): a policy that opens one way within the cluster. */}}
{{- define "openwork.wayTo" }}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  namespace: {{ .namespace }}
  name: {{ .name }}
spec:
  podSelector: {matchLabels: {{ toJson .from }}}
  policyTypes: [Egress]
  egress:
    - to:
        - podSelector: {matchLabels: {{ toJson (.to.pod | default dict) }}}
          {{- with .to.namespace }}
          namespaceSelector: {matchLabels: {{ toJson . }}}
          {{- end }}
      ports:
        - {protocol: TCP, port: {{ .to.port }}}
{{- end -}}
