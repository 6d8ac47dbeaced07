# Keys, certificates and kubeconfigs of a throw-away cluster: source it with $state set to the cluster's folder.
# EC keys by openssl, because RSA keys take seconds; service account tokens alone need RSA.

pki=$state/pki

pki_key() { openssl ecparam -name prime256v1 -genkey -noout -out "$pki/$1.key" 2>/dev/null; }

# pki_leaf NAME SUBJECT serverAuth|clientAuth [SAN]
pki_leaf() {
  local name=$1 subject=$2 usage=$3 san=${4:-}
  pki_key "$name"
  openssl req -new -key "$pki/$name.key" -subj "$subject" -out "$pki/$name.csr"
  openssl x509 -req -in "$pki/$name.csr" -CA "$pki/ca.crt" -CAkey "$pki/ca.key" -set_serial "0x$(openssl rand -hex 8)" -days 30 \
    -extfile <(printf 'basicConstraints=CA:FALSE\nextendedKeyUsage=%s\n%s' "$usage" "${san:+subjectAltName=$san}") \
    -out "$pki/$name.crt" 2>/dev/null
  rm -f "$pki/$name.csr"
}

pki_create() {
  mkdir -p "$pki"
  pki_key ca
  openssl req -x509 -new -key "$pki/ca.key" -subj /CN=det-operator-test-ca -days 30 -out "$pki/ca.crt"
  pki_leaf apiserver /CN=kube-apiserver serverAuth \
    IP:127.0.0.1,IP:10.96.0.1,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc
  pki_leaf admin /O=system:masters/CN=admin clientAuth
  pki_leaf kube-controller-manager /CN=system:kube-controller-manager clientAuth
  pki_leaf kube-scheduler /CN=system:kube-scheduler clientAuth
  pki_leaf kwok /O=system:masters/CN=kwok clientAuth
  pki_leaf kubelet-client /O=system:masters/CN=kube-apiserver-kubelet-client clientAuth
  pki_leaf kubelet-server /CN=fake-kubelet serverAuth IP:127.0.0.1,DNS:localhost
  openssl genrsa -out "$pki/sa.key" 2048 2>/dev/null
  openssl rsa -in "$pki/sa.key" -pubout -out "$pki/sa.pub" 2>/dev/null
  openssl rand -hex 16 > "$pki/admin.token"
  printf '%s,token-admin,token-admin,"system:masters"\n' "$(cat "$pki/admin.token")" > "$pki/tokens.csv"
}

# pki_kubeconfig NAME FILE: for the certificate pki/NAME.crt; everything inside one file, so that it may be copied anywhere.
pki_kubeconfig() {
  local name=$1 file=$2
  cat > "$file" <<K
apiVersion: v1
kind: Config
clusters:
- name: det-operator
  cluster: {server: "$(cat "$state/conf/url")", certificate-authority-data: $(base64 -w0 "$pki/ca.crt")}
users:
- name: $name
  user: {client-certificate-data: $(base64 -w0 "$pki/$name.crt"), client-key-data: $(base64 -w0 "$pki/$name.key")}
contexts:
- name: det-operator
  context: {cluster: det-operator, user: $name, namespace: default}
current-context: det-operator
K
  chmod 600 "$file"
}

# pki_agent_kubeconfig NODE FILE: what a kubelet of that name would hold, so that the Node authorizer and NodeRestriction bind it.
pki_agent_kubeconfig() {
  local node=$1 file=$2
  [ -s "$pki/node-$node.crt" ] || pki_leaf "node-$node" "/O=system:nodes/CN=system:node:$node" clientAuth
  pki_kubeconfig "node-$node" "$file"
}
